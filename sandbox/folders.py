"""Where things are kept between runs, and how folders are named."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """`$XDG_STATE_HOME/afterburner-agent`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "afterburner-agent"


def cache_folder() -> Path:
    """The folder of the user's cache that is ours: under `$XDG_CACHE_HOME`, or `~/.cache`."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(root) if Path(root).is_absolute() else Path.home() / ".cache"
    return base / "afterburner-agent"


def absolute_path(path: str | Path) -> Path:
    """An absolute path without `..`. Unlike `Path.resolve`, it leaves symbolic links as they were given."""
    return Path(os.path.normpath(Path(path).absolute()))
