"""The log of rewards: a line of JSON for each sample, and a summary of each step."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from afterburner.training.reward.samples import Scored


@dataclass(frozen=True, slots=True)
class RewardLog:
    """A file that lines are appended to."""

    path: Path

    def append(self, step: int, scored: Sequence[Scored]) -> None:
        """Append what came of the samples of a step.

        Raises:
            TrainingError: the file cannot be written.
        """
        lines = [json.dumps({"step": step, **each.to_row()}) + "\n" for each in scored]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError as error:
            raise TrainingError(
                f"The log of rewards, {self.path}, cannot be written: {error.strerror or error}."
            ) from error


def summary(scored: Sequence[Scored]) -> dict[str, float]:
    """A step in numbers: means over the samples that have a reward, and shares of all of them.

    The keys are `reward`, `reward/format`, `reward/correctness`, `reward/efficiency`, `passed`, `strict`, `dropped` and
    `cheats`; without any reward, the means are missing.
    """
    count = len(scored) or 1
    seen = Counter[str]()
    for each in scored:
        seen["passed"] += each.after is not None and each.after.passed
        seen["strict"] += each.read.strict
        seen["dropped"] += bool(each.dropped)
        seen["cheats"] += bool(each.read.cheat)
    found = {name: seen[name] / count for name in ("passed", "strict", "dropped", "cheats")}
    terms = [each.terms for each in scored if each.terms is not None]
    if terms:
        found |= {"reward": fmean(each.total for each in terms)}
        found |= {
            f"reward/{name}": fmean(getattr(each, name) for each in terms)
            for name in ("format", "correctness", "efficiency")
        }
    return found
