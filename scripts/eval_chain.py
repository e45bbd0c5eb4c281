"""The whole chain of evaluation on real human solutions: build a benchmark, run rules and a replayed model, report.

    python -m scripts.eval_chain --out DIR                     six named problems, under ten minutes on two cores
    python -m scripts.eval_chain --out DIR --all               all of them, some hours; resumable: run it again

The replayed model answers with human solutions: at first with one of another problem, which fails, then with some that
are no references of the benchmark. No model was asked, so what the report says of it is no model's score.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from afterburner.evals.datasets.built import read_built
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.problems import BenchmarkProblem, code_id

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "venus_like" / "codecontests_human.jsonl.gz"
NAMED = tuple(f"coffe-codecontests-{number}" for number in (20, 23, 26, 31, 41, 49))
ANSWERS = 4  # for each problem: the first code, which fails, and three iterations


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is done."""

    only: tuple[str, ...]
    solutions: int | None
    cases: int
    private_cases: int
    reference_repeats: int
    repeats: int


SMOKE = Scale(NAMED, solutions=16, cases=4, private_cases=2, reference_repeats=2, repeats=2)
FULL = Scale((), solutions=None, cases=6, private_cases=4, reference_repeats=1, repeats=16)


def main() -> None:
    """Carry the chain out, and say how long each part took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for everything")
    parser.add_argument("--all", action="store_true", help="all problems, solutions and repeats")
    parser.add_argument("--problems", type=int, default=len(NAMED), metavar="N", help="how many of the named problems")
    parser.add_argument("--only-build", action="store_true", help="end when the benchmark and the answers are there")
    options = parser.parse_args()
    if not DATA.exists():
        sys.exit(f"{DATA} is not there: the chain needs the real problems that lie beside the repository.")
    out, scale = options.out, FULL if options.all else replace(SMOKE, only=NAMED[: options.problems])
    out.mkdir(parents=True, exist_ok=True)
    took = {"build": build(out, scale)}
    recording = record_human_answers(out)
    if options.only_build:
        return
    common = ("--iterations", str(ANSWERS - 1), "--generations", "1", "--repeats", str(scale.repeats))
    took["rules"] = evaluate(out, "rules", "--model", "rules", "--start", "slow", *common)
    took["replayed"] = evaluate(out, "replayed", "--model", f"replay:{recording}", "--start", "none", *common)
    took["report"] = afterburner(
        "eval", "report", str(out / "rules"), str(out / "replayed"), "--out", str(out / "report")
    )
    for part, seconds in took.items():
        print(f"{part}: {seconds:.0f} s")


def build(out: Path, scale: Scale) -> float:
    """Build the benchmark, or go on with it."""
    only = ("--only", ",".join(scale.only)) if scale.only else ()
    most = ("--most-solutions", str(scale.solutions)) if scale.solutions else ()
    return afterburner(
        *("eval", "build", str(DATA), "--layout", "venus", "--out", str(out / "benchmark"), *only, *most),
        *("--cases", str(scale.cases), "--private-cases", str(scale.private_cases)),
        *("--repeats", str(scale.reference_repeats), "--private-repeats", "1", "--test-share", "1"),
    )


def evaluate(out: Path, name: str, *settings: str) -> float:
    """Run an evaluation, or go on with it."""
    folder = out / name
    if (folder / "run.json").exists():
        return afterburner("eval", "resume", str(folder))
    words = ("--dataset", str(out / "benchmark"), "--out", str(folder), "--name", name)
    return afterburner("eval", "run", *words, *settings)


def record_human_answers(out: Path) -> Path:
    """Write a recording of human solutions, in the form in which models answer."""
    solutions = {
        record.text("title"): [each.text("code") for each in record.parts("solutions")]
        for record in read_records(DATA)
        if isinstance(record, Record)
    }
    path, lines = out / "answers.jsonl", []
    problems = [each for each in read_built(out / "benchmark") if isinstance(each, BenchmarkProblem)]
    for place, problem in enumerate(problems):
        known = {each.id for each in problem.references}
        of_it = solutions[problem.problem.name]
        others = [code for code in of_it if code_id(code) not in known] or of_it
        chosen = random.Random(problem.id).sample(others, min(ANSWERS - 1, len(others)))
        wrong = solutions[problems[place - 1].problem.name][0]
        line = {"asked": "people", "file": problem.problem.name, "function": None}
        lines += [
            line | {"iteration": number, "content": answer_with(code)}
            for number, code in enumerate([wrong, *chosen], start=1)
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def answer_with(code: str) -> str:
    """An answer in the paper's format."""
    return f"<thinking>\nA human solution.\n</thinking>\n<solution>\n```python\n{code}\n```\n</solution>"


def code_of(answer: str) -> str:
    """The code of such an answer."""
    return answer.partition("```python\n")[2].rpartition("\n```")[0]


def afterburner(*words: str) -> float:
    """Run a command of the program, shown as it is; return the seconds it took."""
    print("$ afterburner-agent", *words, flush=True)
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "afterburner.agent", *words], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    return time.monotonic() - began


if __name__ == "__main__":
    main()
