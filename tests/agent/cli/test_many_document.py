"""What the JSON of a run over many targets says of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.batch.batch_results import ManyResult, Outcome
from afterburner.agent.cli.many_document import document_of_many
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings


@pytest.mark.parametrize(
    ("candidate", "decision"),
    [
        (Decision.CONDITIONAL, "conditional"),
        (Decision.NOT_BETTER, "no_improvement"),
        (None, "failed"),
    ],
)
def test_a_target_whose_rewrite_needs_a_condition_is_told_apart_from_one_without_a_better_one(
    unimproved: RunResult, settings: RunSettings, candidate: Decision | None, decision: str
) -> None:
    result = None
    if candidate is not None:
        result = replace(unimproved, candidates=(replace(unimproved.candidates[-1], decision=candidate),))
    target = RankedTarget("/srv/shop/report.py", "total", 1.0, 0.5, 3, ())
    outcome = Outcome(
        target, result.decision if result else "failed", "nothing is offered", settings if result else None, result
    )
    many_settings = replace(settings, batch=replace(settings.batch, top=3))
    many = ManyResult(Path("/srv/shop"), many_settings, "20260101-120000-abcdef", outcomes=[outcome])
    [row] = document_of_many(many, {}, set()).to_json()["targets"]
    assert row["decision"] == decision


def test_what_is_told_of_the_profile_is_in_the_document(settings: RunSettings) -> None:
    many_settings = replace(settings, batch=replace(settings.batch, top=3))
    many = ManyResult(Path("/srv/shop"), many_settings, "20260101-120000-abcdef", survey_note="no test passed")
    assert document_of_many(many, {}, set()).to_json()["profile_note"] == "no test passed"
