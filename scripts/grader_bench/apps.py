"""Official rows of APPS: their own solutions under the benchmark's lenient rule and under our strict one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from afterburner.evals.datasets.registry import load_problems
from afterburner.evals.problems import BenchmarkProblem
from afterburner.sandbox import Task

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

_FILES = ("apps_train_official.jsonl", "apps_coffe_stdin.jsonl.gz")


def table(folder: Path, sandbox: Sandbox) -> str:
    """For each file and style, how many of the rows' own solutions each rule accepts."""
    lines = [
        "## APPS: the rows' own solutions under both rules",
        "",
        "| file | style | problems | solutions | the benchmark's rule | our strict rule |",
        "| --- | --- | ---: | ---: | --- | --- |",
    ]
    for name in _FILES:
        problems = [each for each in load_problems("apps", source=folder / name) if isinstance(each, BenchmarkProblem)]
        for style in ("calls", "stdin"):
            chosen = [each for each in problems if bool(each.problem.function) == (style == "calls")]
            if chosen:
                lines.append(_row(name, style, chosen, sandbox))
    return "\n".join(lines) + "\n"


def _row(name: str, style: str, problems: list[BenchmarkProblem], sandbox: Sandbox) -> str:
    said = []
    pairs = [(each, reference.code) for each in problems for reference in each.references]
    for judges in ([each.problem for each, _ in pairs], [each.strict or each.problem for each, _ in pairs]):
        tasks = (
            Task(judge.program(code), judge.test_cases, judge.limits, judge.checker)
            for judge, (_, code) in zip(judges, pairs, strict=True)
        )
        counts = Counter(report.verdict.value for report in sandbox.run_many(tasks))
        said.append(", ".join(f"{count} {verdict.replace('_', ' ')}" for verdict, count in counts.most_common()))
    return f"| {name} | {style} | {len(problems)} | {len(pairs)} | {said[0]} | {said[1]} |"
