"""Where things are kept between runs, apart from the cache (`meter.build.cache_folder`)."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """`$XDG_STATE_HOME/afterburner-agent`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "afterburner-agent"
