"""Timings of human solutions beside given ones: does the ranking within each problem agree?"""

from __future__ import annotations

import ast
import gzip
import json
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.evals.metrics.correlation import RankAgreement, kendall_tau, rank_agreement
from afterburner.evals.problems import code_id
from afterburner.evals.running.measure import measure_codes
from afterburner.sandbox import Limits, Program, TestCase, Verdict
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.sandbox import Sandbox

LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)
APART = (1.0, 1.2, 1.5)
_MAKING = replace(LIMITS, output_bytes=KEPT_OUTPUT_BYTES)
# What a generator prints itself is no part of the input.
_MAKE = """
import io, json, random, sys
source, seed = json.load(sys.stdin)
out, sys.stdout = sys.stdout, io.StringIO()
random.seed(seed)
names = {}
exec(source, names)
made = names["generate_input"]()
out.write(made if isinstance(made, str) else "\\n".join(map(str, made)))
"""


def table(folder: Path, sandbox: Sandbox, repeats: int) -> str:
    """Kendall's tau of our wall times and the given ones, with its interval over problems."""
    given, ours, skipped = [], [], []
    with gzip.open(folder / "codecontests_human.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = {record["problem_id"]: record for record in map(json.loads, lines)}
    for line in (folder / "reference_timings.jsonl").read_text("utf-8").splitlines():
        timing = json.loads(line)
        record = records[timing["problem_id"]]
        stdin = _input(sandbox, record, timing)
        if stdin is None:
            skipped.append(record["title"])
            continue
        theirs = {
            record["solutions"][run["solution_index"]]["code"]: run["wall_s"]
            for run in timing["runs"]
            if run["status"] == "ok"
        }
        problem = Problem(record["title"], "", (TestCase(stdin),), limits=LIMITS)
        times = _times(sandbox, problem, list(theirs), repeats)
        given.append([theirs[code] for code in times])
        ours.append(list(times.values()))
        tau = kendall_tau(given[-1], [median(each) for each in ours[-1]])
        print(f"{record['title']}: {len(times)} solutions, tau {tau:.2f}", flush=True)
    return "\n".join(_lines(given, ours, skipped, repeats))


def _times(sandbox: Sandbox, problem: Problem, codes: list[str], repeats: int) -> dict[str, list[float]]:
    """The wall times of each code that passes each time, in the order of the repeats."""
    measured = measure_codes(sandbox, divide_cores(), problem, codes, repeats=repeats, seed=0)
    times: dict[str, list[float]] = {}
    for each in measured:
        if each.figures is not None:
            times.setdefault(each.code_id, []).append(each.figures.wall_time_s)
    return {code: times[code_id(code)] for code in codes if len(times.get(code_id(code), [])) == repeats}


def _lines(given: list[list[float]], ours: list[list[list[float]]], skipped: list[str], repeats: int) -> Iterator[str]:
    medians = [[median(times) for times in problem] for problem in ours]
    yield "## Timings of human solutions"
    yield ""
    yield f"{sum(map(len, given))} solutions to {len(given)} problems, each run on the input of the given timings."
    yield f"Ours are medians of {repeats} runs, interleaved on one core; the given times are the best of two"
    yield "on a shared machine."
    yield "All are wall times, including Python's start-up. Kendall's tau is averaged over problems."
    yield ""
    yield "| rankings | pairs of solutions | tau | 95% interval | problems |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for apart in APART:
        pairs = "all" if apart == 1 else f"given times at least {apart:g}x apart"
        yield _row("given vs. ours", pairs, rank_agreement(list(zip(given, medians, strict=True)), apart=apart))
    for apart in APART if repeats > 1 else ():
        pairs = "all" if apart == 1 else f"first run's times at least {apart:g}x apart"
        first, second = ([[times[place] for times in problem] for problem in ours] for place in (0, 1))
        yield _row(
            "our first run vs. our second", pairs, rank_agreement(list(zip(first, second, strict=True)), apart=apart)
        )
    yield ""
    ratios = [max(times) / min(times) for times in given if times]
    if ratios:
        yield f"In the median problem, the slowest given time is {median(ratios):.2f}x the fastest."
    if skipped:
        yield f"Left out, because the input could not be regenerated: {', '.join(skipped)}."
    yield ""


def _row(rankings: str, pairs: str, found: RankAgreement) -> str:
    mean, problems = found.mean, len(found.by_problem) - found.undefined
    interval = f"{mean.low:.3f} to {mean.high:.3f}"
    return f"| {rankings} | {pairs} | {mean.estimate:.3f} | {interval} | {problems} |"


def _input(sandbox: Sandbox, record: dict[str, Any], timing: dict[str, Any]) -> bytes | None:
    """The input that the given timings are of; None if what is made here has another length.

    They were measured on what one of the record's sources makes after `random.seed(generator_seed)`, where the source
    may set another seed itself. The record's `generate_test_cases` sets the seed once more after that.
    """
    sources = _sources(record["test_case_generator"])
    request = [sources[timing["generator_index"]], timing["generator_seed"]]
    report = sandbox.run(Program("python", _MAKE), [TestCase(json.dumps(request).encode())], _MAKING).cases[0]
    made = report.stdout if report.verdict is Verdict.ACCEPTED else b""
    return made if len(made) == timing["input_bytes"] else None


def _sources(generator: str) -> list[str]:
    """The list `sources` of a generator, which is parsed and never run here."""
    assigned = (each for each in ast.walk(ast.parse(generator)) if isinstance(each, ast.Assign))
    found = next(each.value for each in assigned if ast.unparse(each.targets[0]) == "sources")
    return list(map(str, ast.literal_eval(found)))
