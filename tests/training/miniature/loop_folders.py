"""Folders of evaluations on generated problems, as `eval run` leaves them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.evals.problems import code_id
from afterburner.evals.tables import COMPLETE, file_key, write_rows
from afterburner.training.miniature.stages import FAST, SLOW

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from afterburner.training.miniature.families import MadeProblem

MACHINE = {"cpu_model": "A processor", "cpus": 2, "system": "Linux", "backend": "bubblewrap", "tier": "cgroup v2"}
REFERENCES = (1.0, 2.0, 3.0, 4.0)  # seconds, MiB and MiB·s


def write_loop(folder: Path, problems: Sequence[MadeProblem], *, fast: Sequence[Sequence[int]]) -> Path:
    """An evaluation in which the best code answers so many questions in the fast way, by problem and iteration.

    A code with f fast ways costs 4 - f; -1: it fails.
    """
    folder.mkdir(parents=True)
    about = {"format": 1, "name": "x", "settings": {"tell": "paper"}, "machine": MACHINE, "session": "s"}
    (folder / "run.json").write_text(json.dumps(about))
    (folder / COMPLETE).touch()
    for problem, counts in zip(problems, fast, strict=True):
        _write_problem(folder, problem, counts)
    return folder


def _write_problem(folder: Path, problem: MadeProblem, counts: Sequence[int]) -> None:
    known = {"problem_id": problem.name}
    codes = {count: problem.solution((*[FAST] * count, *[SLOW] * (3 - count))) for count in set(counts) - {-1}}
    codes |= {-1: "print(\n"} if -1 in counts else {}
    drifts = dict.fromkeys(("drift", "drift_memory", "drift_integral"), 1.25)
    facts = {"dataset": "", "difficulty": "", "language": "python", "public_cases": 1, "private_cases": 0, "reason": ""}
    rows = {
        "problems": [{**facts, **drifts, "flags": ["The anchors drifted."], "notes": [], "elapsed_s": 1.0}],
        "references": [_figures(each) | {"code_id": f"r{each}", "tests": "public"} for each in REFERENCES],
        "codes": [{"code_id": code_id(code), "code": code} for code in codes.values()],
        "best": [
            {"generation": 0, "iteration": at, "code_id": code_id(codes[count]), "passed": count >= 0}
            for at, count in enumerate(counts)
        ],
        "measurements": [
            {
                "code_id": code_id(code),
                "tests": "public",
                "repeat": 0,
                "turn": 0,
                "verdict": "accepted" if count >= 0 else "runtime_error",
                **(_figures(1.25 * (4 - count)) if count >= 0 else {}),
            }
            for count, code in codes.items()
        ],
        "candidates": [
            {"generation": 0, "iteration": at, "prompt_tokens": 70, "completion_tokens": 40}
            for at in range(len(counts))
        ],
    }
    for table, found in rows.items():
        write_rows(folder, table, file_key(problem.name), [{**known, **row} for row in found])


def _figures(cost: float) -> dict[str, float]:
    return {
        "wall_time_s": cost,
        "cpu_time_s": cost,
        "peak_memory_kib": 1024 * cost,
        "memory_integral_kib_s": 1024 * cost,
    }
