"""Many clients at once: `scripts/load_service.py`, for a few seconds instead of a minute."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

_SCRIPT = Path(__file__).parents[3] / "scripts" / "load_service.py"


@pytest.mark.nightly
@pytest.mark.slow
def test_64_clients_get_right_verdicts_or_are_told_to_wait(sandbox: Sandbox) -> None:
    del sandbox  # where there is none, the test is skipped
    done = subprocess.run(
        [sys.executable, "-W", "error", _SCRIPT, "--clients", "64", "--seconds", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "no wrong verdict, no lost request, only 200, 429 and 503" in done.stdout
    assert re.search(r"^exit code of the service +0$", done.stdout, re.MULTILINE), done.stdout
