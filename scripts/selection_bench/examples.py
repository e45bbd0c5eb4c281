"""What a decision costs on the files in examples/: from the first proposal to the verdict, in the real program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.verify_examples import ROOT, commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.selection_bench.book import Record

_EVENT = re.compile(r"\[\d+:\d\d\] (\w+): ")
_DECIDING = frozenset({"generate", "profile", "select", "confirm"})


def decisions(runs: int, known: int) -> Iterator[Record]:
    """A record for each run: `runs` of each example in all, of which `known` are there."""
    for number in range(known // max(len(commands()), 1), runs):
        for name, words in commands().items():
            yield _decide(name, words, number)


def _decide(name: str, words: list[str], number: int) -> Record:
    """Runs the program, and takes the time between the first proposal and the last word on a candidate."""
    program = Path(sys.executable).with_name("afterburner-agent")
    moments: list[float] = []
    with tempfile.TemporaryDirectory(prefix="afterburner-bench-") as folder:
        result = Path(folder) / "result.json"
        running = subprocess.Popen(
            [program, "run", *words, "--model", "rules", "--seed", str(number), "--json", result],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert running.stderr is not None  # noqa: S101 - it is a pipe
        with running:
            for line in running.stderr:
                event = _EVENT.match(line)
                if event and event[1] in _DECIDING:
                    moments.append(time.monotonic())
        if running.returncode != 0 or not moments:
            raise SystemExit(f"The example {name} failed with status {running.returncode}.")
        found = json.loads(result.read_text(encoding="utf-8"))
    return {
        "example": name,
        "number": number,
        "seconds": moments[-1] - moments[0],
        "candidates": len(found["candidates"]),
        "decision": found["decision"],
        "run_s": found["elapsed_s"],
    }
