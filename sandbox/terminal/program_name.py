"""How a person's shell finds this program."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from afterburner.sandbox.terminal.text import display_path

_NAME = "afterburner-agent"


def program_name() -> str:
    """What to type: the program's name, or its path where it was called by that and the name is not on the `PATH`."""
    called = Path(sys.argv[0]) if sys.argv else Path()
    if called.name != _NAME or not called.is_file() or shutil.which(_NAME):
        return _NAME
    return shlex.quote(display_path(str(called)))
