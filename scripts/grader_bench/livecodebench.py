"""Verdicts on graded submissions of LiveCodeBench beside the official ones.

The records here hold a part of the official tests. A submission that officially passes has to pass any part; one that
officially fails has to fail only where the case that it failed on is here.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.evals.datasets.registry import load_problems
from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.running.measure import first_failure
from afterburner.sandbox import Task, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Report, Sandbox

_COMPLETE_FOR_FAILURES = "real:failing official case in submissions metadata"
_SHOWN = 200
_WAITS = re.compile(r"\.join\(\s*\)")  # for a thread; of texts, join takes an argument


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission, what the benchmark says of it, and what we say."""

    question: str
    model: str
    code: str
    official: bool
    official_metadata: str
    report: Report
    tests: str  # where the private tests are from

    @property
    def ours(self) -> bool:
        """Whether it passes our tests."""
        return self.report.verdict is Verdict.ACCEPTED

    @property
    def must_agree(self) -> bool:
        """Whether the tests here are enough for the official verdict."""
        return self.official or self.tests == _COMPLETE_FOR_FAILURES


def judged(folder: Path, sandbox: Sandbox) -> list[Judged]:
    """Run every graded submission on all tests that are here."""
    source = folder / "lcb_v1.jsonl"
    problems = {
        each.id: each for each in load_problems("livecodebench", source=source) if isinstance(each, BenchmarkProblem)
    }
    tests = {row["question_id"]: row["_private_provenance"] for row in _rows(source)}
    with gzip.open(folder / "graded_submissions.jsonl.gz", "rt", encoding="utf-8") as lines:
        submissions = [json.loads(line) for line in lines]
    known = [each for each in submissions if each["question_id"] in problems]
    reports = sandbox.run_many(_task(problems[each["question_id"]], each["code"]) for each in known)
    return [
        Judged(
            each["question_id"],
            each["model"],
            each["code"],
            each["official_pass"],
            each["official_metadata"],
            report,
            tests[each["question_id"]],
        )
        for each, report in zip(known, reports, strict=True)
    ]


def table(folder: Path, sandbox: Sandbox) -> str:
    """The agreement by the tests that are here, and each disagreement."""
    found = judged(folder, sandbox)
    counts = Counter((each.tests, each.official, each.ours) for each in found)
    lines = [
        "## LiveCodeBench: official verdicts on submissions of o1-preview and o1-mini",
        "",
        _headline(found),
        "",
        "| private tests here | official verdict | we say passed | we say failed |",
        "| --- | --- | ---: | ---: |",
    ]
    for tests, official in sorted({(tests, official) for tests, official, _ in counts}):
        said = "passed" if official else "failed"
        lines.append(f"| {tests} | {said} | {counts[tests, official, True]} | {counts[tests, official, False]} |")
    differing = [each for each in found if each.must_agree and each.ours != each.official]
    if differing:
        lines += [
            "",
            "| question | model | official | ours | why they differ |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [_difference(each) for each in differing]
    return "\n".join(lines) + "\n"


def _headline(found: list[Judged]) -> str:
    comparable = [each for each in found if each.must_agree]
    agreed = sum(each.ours == each.official for each in comparable)
    return (
        f"{len(found)} submissions. Where the tests here are enough for the official verdict, ours agrees on {agreed} "
        f"of {len(comparable)}."
    )


def _difference(each: Judged) -> str:
    names = {True: "passed", False: "failed"}
    cells = (each.question, each.model, names[each.official], names[each.ours], _explanation(each))
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _explanation(each: Judged) -> str:
    """Why the verdicts differ, as far as the code and the official record tell."""
    if each.official:
        return f"ours: {first_failure(each.report)}"
    if "Thread(" in each.code and not _WAITS.search(each.code):
        return "it leaves its work to a thread and does not wait; the official harness takes what is printed by then"
    if "open(0)" in each.code:
        return "it reads descriptor 0, and the official harness replaces sys.stdin alone: it waited for its time limit"
    official = json.loads(each.official_metadata) if each.official_metadata else {}
    said = official.get("error_message") or official.get("error") or "nothing is said"
    slowest_s = max(case.measurement.wall_time_s for case in each.report.cases)
    return f"official: {said}; here its slowest case took {slowest_s:.1f} s"


def _cell(text: str) -> str:
    return " ".join(text.split())[:_SHOWN].replace("|", "\\|").replace("<", "&lt;")


def _task(problem: BenchmarkProblem, code: str) -> Task:
    judge = problem.private or problem.problem
    return Task(judge.program(code), judge.test_cases, judge.limits, judge.checker, stop_at_failure=True)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
