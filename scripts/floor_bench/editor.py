"""The editor: from the click on "Optimize this function" to the edit that arrives in the buffer."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from editor_client import PAIRS, VS_CODE, Editor, ServerError

from scripts.floor_bench.floor import FloorFailedError, environment
from scripts.latency_bench.timing import own_s

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.latency_bench.versions import Program

FIRST, AGAIN = "click to edit", "the second click"
_LINE = 9  # in the function
_LIMIT_S = 300.0


def measure(program: Program, place: Path) -> dict[str, float]:
    """Seconds of a first click, and of one more on the same function after its edit was undone.

    Raises:
        FloorFailedError: no edit came.
    """
    folder = _project(place)
    editor = Editor(
        VS_CODE,
        initial={"trusted": True},
        command=(*program.command, "lsp", "--stdio", "--verbose"),
        environment=environment(program, folder, place / "home"),
    )
    editor.start(folder)
    try:
        uri = editor.open(folder / "pairs.py")
        first_s = _click(editor, uri)
        editor.type(uri, PAIRS)
        return {FIRST: first_s, AGAIN: _click(editor, uri)}
    except (AssertionError, KeyError, ServerError) as error:
        raise FloorFailedError(f"{type(error).__name__}: {str(error)[:300]}") from error
    finally:
        editor.close()


def bare(place: Path) -> float:
    """Seconds that the file's own run takes."""
    return own_s((sys.executable, "pairs.py"), _project(place), "")


def _project(place: Path) -> Path:
    folder = place / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n", "utf-8")
    (folder / "pairs.py").write_text(PAIRS, "utf-8")
    return folder


def _click(editor: Editor, uri: str) -> float:
    arrived_s: list[float] = []
    action = editor.actions(uri, _LINE)["time"]
    editor.asked.clear()
    editor.while_asked["workspace/applyEdit"] = lambda: arrived_s.append(time.perf_counter())
    began_s = time.perf_counter()
    editor.choose(action)
    said = editor.wait("window/showMessage", seconds=_LIMIT_S)["message"]
    if not arrived_s:
        raise FloorFailedError(f"no edit: {said}")
    return arrived_s[0] - began_s
