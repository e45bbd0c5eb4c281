"""What a miniature cost: the time of its stages, and where the time of GRPO went."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TIMES = "times.jsonl"


def note_time(out: Path, stage: str, time_s: float, *, finished: bool) -> None:
    """Note how long an attempt at a stage took."""
    with (out / TIMES).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"stage": stage, "time_s": round(time_s, 1), "finished": finished}) + "\n")


def stage_times_s(out: Path) -> Mapping[str, float]:
    """Each stage's time by its name, over all its attempts that were noted: a kill leaves no time to do so."""
    times_s: dict[str, float] = {}
    for row in _rows(out / TIMES):
        times_s[row["stage"]] = times_s.get(row["stage"], 0.0) + row["time_s"]
    return times_s


def was_begun(out: Path, stage: str) -> bool:
    """Whether an attempt at a stage was noted."""
    return (out / TIMES).is_file() and stage in stage_times_s(out)


@dataclass(frozen=True, slots=True)
class GrpoCost:
    """Of all seeds of GRPO together.

    Attributes:
        generation_s: in which the model wrote answers.
        reward_s: in which the sandbox judged them.
        update_s: what is left: updates of the weights, checkpoints, the log.
        answer_tokens: that the model wrote.
        runs: of programs in the sandbox.
        slots_busy: the share of the time of rewards in which a core for programs was leased.
    """

    generation_s: float
    reward_s: float
    update_s: float
    answer_tokens: float
    runs: int
    slots_busy: float


def grpo_cost(metrics: Sequence[Path]) -> GrpoCost:
    """Add up the metrics of training runs, each step of which has a line."""
    generation_s = reward_s = whole_s = tokens = busy = 0.0
    runs = 0
    for path in metrics:
        rows = [row for row in _rows(path) if "reward/time_s" in row]
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            generation_s += row["generation/time_s"]
            reward_s += row["reward/time_s"]
            tokens += row["generation/time_s"] * row["generation/tokens_per_s"]
            runs += round(row["reward/runs"])
            busy += row["reward/time_s"] * row.get("reward/slots_busy", 0.0)  # nothing ran where no answer held code
            if following is None or _is_of_another_process(row, following):  # which counts from zero
                whole_s += row["time_s"]
    slots_busy = busy / reward_s if reward_s else 0.0
    return GrpoCost(generation_s, reward_s, whole_s - generation_s - reward_s, tokens, runs, slots_busy)


def _is_of_another_process(row: Mapping[str, Any], following: Mapping[str, Any]) -> bool:
    """Whether a process that went on logged the second row; earlier versions did not write where it began."""
    took_s = following["generation/time_s"] + following["reward/time_s"]
    began = [each.get("resumed_from") for each in (row, following)]
    return began[0] != began[1] or following["time_s"] - row["time_s"] < took_s


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file; one that a kill or a power failure has damaged is left out."""
    rows = []
    for line in path.read_text("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError):
            rows.append(json.loads(line))
    return [row for row in rows if isinstance(row, dict)]
