"""Emacs itself with eglot, as Debian has them, without a screen: the whole walk."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from editor_client import COMMAND, PAIRS, is_alive, wait_until

WALK = Path(__file__).with_name("walk.el")
HAS_EGLOT = "(progn (package-activate-all) (require 'eglot))"
ANNOUNCED = "Optimize this function (pairs)"
TYPED = f"{PAIRS}\n\nSIZE = 3\n"


def _emacs(*words: str, folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["emacs", "--batch", *words],
        capture_output=True, text=True, timeout=seconds, cwd=folder, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def eglot(project: Path) -> None:
    if shutil.which("emacs") is None or _emacs("--eval", HAS_EGLOT, folder=project, seconds=60).returncode:
        pytest.skip("Emacs with eglot is not installed: apt-get install emacs-nox elpa-eglot")


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.usefixtures("eglot")
@pytest.mark.nightly
def test_emacs_asks_applies_undoes_and_cancels(project: Path) -> None:
    path = project / "pairs.py"
    path.write_text(PAIRS)
    words = " ".join(json.dumps(word) for word in COMMAND)
    settings = "(list :afterburner (list :iterations 1))"
    setup = f"(setq walk-server (list {words}) walk-file {json.dumps(str(path))} walk-settings {settings})"
    done = _emacs("--eval", setup, "-l", str(WALK), folder=project, seconds=280)
    seen = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {"failure": done.stderr}
    assert seen["failure"] is None, (seen, done.stderr)
    assert ANNOUNCED in seen["titles"]
    [question] = seen["questions"]  # trust is asked for once
    assert "May code of" in question
    assert len(seen["confirmations"]) == 3
    assert all(str(path) in each for each in seen["confirmations"])
    applied, declined, late = seen["messages"]
    assert "CPU time improved" in applied
    assert "Applied. Undo restores the original." in applied
    assert seen["after"].startswith(PAIRS[: PAIRS.index("    found = []")])
    assert seen["after"].endswith(TYPED[TYPED.index("\n\nif __name__") :])
    assert seen["after"] != TYPED
    assert seen["undone"], "one undo takes the rewrite back, and nothing else"
    assert path.read_text() == PAIRS, "the editor saves, not the server"
    assert "declined" in declined or "User cancelled server edit" in declined  # Emacs 30 says that it has applied it
    # The edit that came too late is not in the text.
    assert "was not applied" in late
    assert seen["stale"] == TYPED.replace("    found = []\n", "    found = []\n    # typed\n")
    assert wait_until(lambda: not any(map(is_alive, [seen["server"], *seen["sandbox"]]))), "something is left"
