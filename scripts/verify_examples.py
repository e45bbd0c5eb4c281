"""Optimises a copy of every example with the embedded rules, then checks the result by other means.

    python scripts/verify_examples.py [NAME ...]

For each example of examples/README.md, with the command that stands there: run it with `--apply` on a copy in a
temporary folder, run the example's tests on the rewritten copy, and time both files as whole processes with
`time_whole.py`. Prints one table. Ends with status 1 if a run or a test fails; what is gained is for the reader.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"`afterburner-agent run (examples/\w+\.py[^`]*)`")
PAIRS = 11


@dataclass(frozen=True)
class Row:
    """What is known of one example in the end."""

    name: str
    objective: str
    decision: str
    gain: str
    tests: str
    whole: str
    rules: str
    good: bool


def commands() -> dict[str, list[str]]:
    """The arguments of `run` for each example, as the README of the examples gives them."""
    found = COMMAND.findall((ROOT / "examples" / "README.md").read_text(encoding="utf-8"))
    return {Path(words.split()[0]).stem: shlex.split(words) for words in found}


def optimise(folder: Path, words: list[str]) -> tuple[dict[str, Any] | None, str]:
    """Run the command in `folder` and apply the result: its JSON, and what it said."""
    program = Path(sys.executable).with_name("afterburner-agent")
    done = subprocess.run(
        [program, "run", *words, "--model", "rules", "--apply", "--yes", "--json", "-"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr


def tests_of(folder: Path, name: str) -> str:
    """`passed`, or the last line of pytest."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"examples/tests/test_{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return "passed" if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()[-1]


def whole_process(folder: Path, name: str, objective: str) -> str:
    """The ratio by `time_whole.py`, for the objective."""
    original = folder / "original" / f"{name}.py"
    original.parent.mkdir()
    shutil.copy(ROOT / "examples" / f"{name}.py", original)
    cases = sorted((ROOT / "examples" / f"{name}_cases").glob("*.in"))
    stdin = ["--stdin", *map(str, cases)] if cases else []
    rewritten = folder / "examples" / f"{name}.py"
    script = ROOT / "scripts" / "time_whole.py"
    done = subprocess.run(
        [sys.executable, script, original, rewritten, "--pairs", str(PAIRS), *stdin],
        capture_output=True,
        text=True,
        check=False,
    )
    wanted = "peak" if objective == "memory" else "cpu"
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    return lines.get(wanted, done.stderr.strip())


def verify(name: str, words: list[str]) -> Row:
    """Everything about one example."""
    with tempfile.TemporaryDirectory(prefix="verify-examples-") as temporary:
        folder = Path(temporary)
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        result, said = optimise(folder, words)
        if result is None:
            return Row(name, "-", "failed", "-", "-", "-", said.strip().splitlines()[-1], good=False)
        improved = result["decision"] == "improved"
        gain = result["gain"]
        tests = tests_of(folder, name)
        winner = [entry["proposer"] for entry in result["candidates"] if entry["decision"] == "improved"]
        return Row(
            name,
            result["objective"],
            result["decision"],
            f"{gain['ratio']:.2f}x ({gain['low']:.2f} to {gain['high']:.2f})" if gain else "-",
            tests,
            whole_process(folder, name, result["objective"]) if improved else "-",
            "; ".join(winner) if winner else result["summary"],
            good=tests == "passed",
        )


def main() -> None:
    """Print a row when it is known, and leave with 1 if one is not good."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="examples; all without it")
    known = commands()
    wanted = parser.parse_args().names or list(known)
    if unknown := [name for name in wanted if name not in known]:
        parser.error(f"no such example: {', '.join(unknown)}; there are {', '.join(known)}")
    layout = "{:16} {:9} {:15} {:25} {:8} {:35} {}"
    print(layout.format("example", "objective", "decision", "gain", "tests", "whole processes", "by"))
    rows = []
    for name in wanted:
        row = verify(name, known[name])
        rows.append(row)
        line = layout.format(row.name, row.objective, row.decision, row.gain, row.tests, row.whole, row.rules)
        print(line, flush=True)
    sys.exit(0 if all(row.good for row in rows) else 1)


if __name__ == "__main__":
    main()
