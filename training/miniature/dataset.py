"""Writes generated problems as raw problems of `eval build`, which makes their cases and measures their solutions.

Build the problems to train on and the held-out ones as two benchmarks, with `--test-share 0` and `1`. Do not give the
second to `train data --held-out`: problems share the sentences of their stages on purpose, and would be dropped for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import write_whole
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from afterburner.training.miniature.families import MadeProblem


def write_raw(problems: Sequence[MadeProblem], path: Path) -> None:
    """Write problems as JSON lines, in the layout of Elfsong/Venus, with all their solutions.

    Raises:
        TrainingError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, "".join(json.dumps(_record(each)) + "\n" for each in problems))
    except OSError as error:
        raise TrainingError(f"{path} cannot be written: {error.strerror or error}. Give another folder.") from error


def _record(problem: MadeProblem) -> dict[str, Any]:
    return {
        "question_id": problem.name,
        "name": problem.name,
        "content": problem.description,
        "difficulty": "",
        "topics": [stage.name for stage in problem.stages],
        "code_prompt": "",  # a solution is a whole program
        "test_case_generator": problem.generator,
        "rt_list": [{"code": problem.solution(ways)} for ways in problem.ways],
    }
