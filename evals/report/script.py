"""The page's only script. It adds to what is there already: values where one points, and runs that can be hidden."""

from __future__ import annotations

import base64
import hashlib

SCRIPT = """
"use strict";
for (const figure of document.querySelectorAll("figure.curves")) {
  const readout = figure.querySelector(".readout");
  readout.hidden = false;
  figure.addEventListener("pointermove", (event) => {
    const told = document.elementsFromPoint(event.clientX, event.clientY)
      .map((shape) => shape.getAttribute("data-told")).filter((text) => text !== null);
    if (told.length) readout.textContent = told.join("; ");
  });
  for (const box of figure.querySelectorAll("input[data-toggles]")) {
    box.hidden = false;
    const show = () => {
      for (const shape of figure.querySelectorAll("g[data-run]")) {
        if (shape.dataset.run === box.dataset.toggles) shape.classList.toggle("off", !box.checked);
      }
    };
    box.addEventListener("change", show);
    show();
  }
}
"""


def script_policy() -> str:
    """What a page's policy has to say so that this script runs and no other."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode("ascii")
    return f"script-src 'sha256-{digest}'"
