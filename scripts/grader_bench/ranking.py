"""Timings of human solutions beside given ones: does the ranking within each problem agree?"""

from __future__ import annotations

import gzip
import json
from statistics import median
from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.evals.datasets.generating import run_generator
from afterburner.evals.metrics.correlation import RankAgreement, rank_agreement
from afterburner.evals.problems import code_id
from afterburner.evals.running.measure import measure_codes
from afterburner.sandbox import Limits, TestCase
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)
_FIRST_SEED = 100  # the k-th input of the given timings was made with the seed 100 + k


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
        measured = measure_codes(sandbox, divide_cores(), problem, list(theirs), repeats=repeats, seed=0)
        times: dict[str, list[float]] = {}
        for each in measured:
            if each.figures is not None:
                times.setdefault(each.code_id, []).append(each.figures.wall_time_s)
        both = [code for code in theirs if code_id(code) in times]
        given.append([theirs[code] for code in both])
        ours.append([median(times[code_id(code)]) for code in both])
        print(f"{record['title']}: {len(both)} solutions", flush=True)
    found = rank_agreement(list(zip(given, ours, strict=True)))
    return "\n".join(
        [
            "## Timings of human solutions",
            "",
            f"{sum(map(len, ours))} solutions of {len(ours)} problems, each on the input of the given timings.",
            f"Medians of {repeats} runs, interleaved on one core. Wall time, with the start of Python.",
            "",
            _said(found),
            *([f"Left out, because the input could not be made again: {', '.join(skipped)}."] if skipped else []),
            "",
        ]
    )


def _said(found: RankAgreement) -> str:
    mean = found.mean
    return (
        f"Kendall's tau of the two rankings, the mean over problems: {mean.estimate:.3f} (95% interval "
        f"{mean.low:.3f} to {mean.high:.3f}); {found.undefined} problems have no ranking."
    )


def _input(sandbox: Sandbox, record: dict[str, Any], timing: dict[str, Any]) -> bytes | None:
    """The input that the given timings are of; None if what the generator makes has another length."""
    number = timing["generator_seed"] - _FIRST_SEED
    cases = run_generator(sandbox, record["test_case_generator"], number + 1, _FIRST_SEED, LIMITS)
    made = [case["input"].encode() for case in cases if len(case["input"].encode()) == timing["input_bytes"]]
    return made[0] if made else None
