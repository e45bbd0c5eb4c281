"""Neovim itself, as Debian has it, without a window: the whole walk."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from editor_client import COMMAND, PAIRS

WALK = Path(__file__).with_name("walk.lua")


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed: apt-get install neovim")
def test_neovim_asks_applies_undoes_and_cancels(project: Path) -> None:
    path = project / "pairs.py"
    path.write_text(PAIRS)
    words = ", ".join(f"[[{word}]]" for word in COMMAND)
    setup = f"lua SERVER, FILE, LINE = {{ {words} }}, [[{path}]], 8"
    done = subprocess.run(
        ["nvim", "-u", "NONE", "--headless", "-n", "-c", setup, "-c", f"luafile {WALK}", "-c", "qall!"],
        capture_output=True, text=True, timeout=280, cwd=project, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    seen = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {"failure": done.stderr}
    assert seen.get("failure") is None, (seen, done.stderr)
    assert "May code of" in seen["question"]
    assert "CPU time improved" in seen["messages"][0], seen["messages"]
    assert "Applied." in seen["messages"][0]
    kinds = [each["kind"] for each in seen["progress"]]
    assert kinds[0] == "begin"
    assert kinds.count("end") == 2
    assert any("best" in each.get("message", "") for each in seen["progress"])
    assert seen["after"] != PAIRS.rstrip("\n")
    assert "def unrelated(x):\n    return x\n" in seen["after"]
    assert seen["undone"]
    assert seen["saved"]
    # The edit that came too late is not in the text, whatever Neovim says of it, and the user hears so.
    assert seen["stale"] == PAIRS.rstrip("\n").replace('total."""\n', 'total."""\n    # typed\n')
    assert "was not applied" in seen["messages"][1]
    assert seen["progress"][-1] == {"kind": "end", "message": "cancelled"}
