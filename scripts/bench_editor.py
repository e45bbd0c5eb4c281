"""Measures what a user of the language server feels, each figure beside its goal.

    make bench-editor
    PYTHONPATH=tests/lsp_server python -m scripts.bench_editor [--edits N]

Start: from the process to `initialized`, the median of ten. Code actions: after each edit of a file of 5,000 lines,
once on a quiet server and once while a run is going on. didChange has no answer: what is measured is the time until the
server answers the smallest request behind it.

Ends with status 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editor_client import PAIRS, VS_CODE, Editor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STARTS = 10
FUNCTIONS = 625  # of eight lines: 5,000 lines
FUNCTION = '''\
def function_{number}(values, limit):
    """Adds up (some of) the "values"."""
    total = 0
    for value in values:
        if value < limit:
            total += value * {number}
    return total

'''


def main() -> int:
    """Measures and prints; see above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edits", type=int, default=500, help="of the large file; %(default)s")
    edits = parser.parse_args().edits
    with tempfile.TemporaryDirectory(prefix="afterburner-bench-") as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n", "utf-8")
        lines = [*_start(folder), *_typing(folder, edits)]
    width = max(len(what) for what, _, _ in lines)
    for what, figure, goal in lines:
        verdict = f"goal: below {goal:g}  {'met' if figure < goal else 'MISSED'}" if goal else "no goal"
        print(f"{what:<{width}}  {figure:8.2f}  {verdict}")
    return int(any(goal and figure >= goal for _, figure, goal in lines))


def _start(folder: Path) -> Iterator[tuple[str, float, float]]:
    taken = []
    for _ in range(STARTS):
        editor = Editor(VS_CODE, initial={"trusted": True})
        began_s = time.perf_counter()
        editor.start(folder)
        taken.append(time.perf_counter() - began_s)
        editor.close()
    yield "start to initialized, s, median", statistics.median(taken), 0.7


def _typing(folder: Path, edits: int) -> Iterator[tuple[str, float, float]]:
    text = "".join(FUNCTION.format(number=number) for number in range(FUNCTIONS))
    (folder / "large.py").write_text(text, "utf-8")
    (folder / "pairs.py").write_text(PAIRS, "utf-8")
    editor = Editor(VS_CODE, initial={"trusted": True})
    editor.start(folder)
    try:
        uri = editor.open(folder / "large.py")
        yield "code actions after an edit, ms, p99", *_p99(_actions(editor, uri), edits), 30
        yield "didChange, ms, p99", *_p99(_change(editor, uri), edits), 10
        other = editor.open(folder / "pairs.py")
        editor.choose(editor.actions(other, 9)["time"])
        editor.wait("$/progress", lambda params: params["value"]["kind"] == "report")
        before_s, began_s = _cpu_s(editor.process.pid), time.perf_counter()
        yield "code actions during a run, ms, p99", *_p99(_actions(editor, uri), edits), 0
        yield "didChange during a run, ms, p99", *_p99(_change(editor, uri), edits), 10
        cores = (_cpu_s(editor.process.pid) - before_s) / (time.perf_counter() - began_s)
        is_over = any(each["method"] == "window/showMessage" for each in editor.asked)
        yield f"cores that the server itself uses{' (the run ended before)' if is_over else ''}", cores, 1
    finally:
        editor.close()


def _p99(once: Callable[[int], float], times: int) -> tuple[float]:
    taken = sorted(once(number) for number in range(times))
    return (1_000 * taken[int(0.99 * (len(taken) - 1))],)


def _actions(editor: Editor, uri: str) -> Callable[[int], float]:
    def once(number: int) -> float:
        _type(editor, uri, number)
        began_s = time.perf_counter()
        editor.actions(uri, (number * 97) % (8 * FUNCTIONS))
        return time.perf_counter() - began_s

    return once


def _change(editor: Editor, uri: str) -> Callable[[int], float]:
    nothing: dict[str, Any] = {"textDocument": {"uri": "file:///none.py"}}

    def once(number: int) -> float:
        began_s = time.perf_counter()
        _type(editor, uri, number)
        editor.request("textDocument/codeLens", nothing)
        return time.perf_counter() - began_s

    return once


def _type(editor: Editor, uri: str, number: int) -> None:
    """One character in the middle of the file."""
    buffer = editor.buffers[uri]
    buffer.version += 1
    place = {"line": (number * 31) % (8 * FUNCTIONS), "character": 0}
    change = {"range": {"start": place, "end": place}, "text": "# " if number % 2 else "\n"}
    identifier = {"uri": uri, "version": buffer.version}
    editor.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})


def _cpu_s(pid: int) -> float:
    """CPU time of a process itself, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    sys.exit(main())
