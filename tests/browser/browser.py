"""Debian's Chromium, for the tests of the pages that we write: without JavaScript, and with a list of its requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
PHONE = 390  # CSS pixels
_READABLE = 4.5  # WCAG 2.2, AA: the least contrast of text of ordinary size
_CONTRAST = """
(element) => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || [0, 0, 0]).map(Number);
  const isClear = (colour) => numbers(colour)[3] === 0;
  const light = (colour) => numbers(colour).slice(0, 3)
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
  const style = getComputedStyle(element);
  let behind = element;
  while (behind.parentElement && isClear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const text = light(element.tagName === "text" ? style.fill : style.color);
  const paper = light(getComputedStyle(behind).backgroundColor);
  return (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
}
"""


@dataclass
class Visit:
    """A page in a window of its own, what it asked for, and what the browser complained of."""

    page: Page
    requested: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def overflow(self) -> int:
        """How many pixels the document is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def hard_to_read(self, selector: str) -> list[str]:
        """The texts of these elements that stand out too little from what is behind them; there has to be one."""
        found = self.page.locator(selector).all()
        assert found, selector
        texts = [(each.text_content() or "", float(each.evaluate(_CONTRAST))) for each in found]
        return [f"{text}: {contrast:.1f}" for text, contrast in texts if contrast < _READABLE]

    def colour(self, selector: str, name: str) -> str:
        """A colour of an element as the browser paints it: `color`, `backgroundColor`, `fill`."""
        return str(self.page.locator(selector).first.evaluate(f"(each) => getComputedStyle(each).{name}"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file. Its loop runs in this thread: no asynchronous test may stand beside them."""
    if not CHROMIUM.exists():
        pytest.skip("needs Chromium: apt-get install chromium")
    with sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a file: its path, and by name the `width` of the window and the colour `scheme`; `scripts` lets them run."""
    contexts: list[Any] = []

    def visited(path: Path, *, width: int = 1000, scheme: str = "light", scripts: bool = False) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,  # type: ignore[arg-type]  # a literal of its own
            java_script_enabled=scripts,
        )
        contexts.append(context)
        made = Visit(context.new_page())
        context.on("request", lambda request: made.requested.append(request.url))
        made.page.on("console", lambda message: made.complaints.append(message.text))
        made.page.on("dialog", lambda dialog: made.complaints.append(dialog.message))
        made.page.goto(path.as_uri())
        return made

    yield visited
    for context in contexts:
        context.close()
