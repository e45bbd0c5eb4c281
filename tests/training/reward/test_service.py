"""Rewards from a real sandbox service, which chooses the cores of programs itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits, UsageError, open_sandbox
from afterburner.training.reward.judge import RewardJudge

from ...sandbox.service.conftest import serve  # noqa: F401, TID252 - a service, as a fixture
from .answers import FAST, WRONG, answered, problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...sandbox.service.conftest import Service  # noqa: TID252 - of the fixture

pytestmark = pytest.mark.slow


@pytest.mark.nightly
def test_answers_are_judged_at_a_service(
    serve: Callable[..., Service],  # noqa: F811 - the fixture above
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = serve(jobs=1)
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", service.token or "")
    with open_sandbox(service.url) as sandbox:
        judge = RewardJudge(sandbox, {"sum": problem("sum")}, {"sum": problem("sum", 6)}, slots=sandbox.slots())
        fast, wrong = judge.score([answered(FAST), answered(WRONG)], progress=0.0)
        assert fast.terms is not None, fast.dropped
        assert wrong.terms is not None, wrong.dropped
        assert fast.terms.efficiency > 0
        assert wrong.verdict == "wrong_answer"
        assert judge.effort.slots == 1
        assert judge.effort.runs > 0
        # What the service refuses would drop every answer alike, so it ends the batch.
        patient = replace(problem("sum"), limits=Limits(wall_time_s=1e6, cpu_time_s=1e6))
        with pytest.raises(UsageError, match="The sandbox service allows"):
            RewardJudge(sandbox, {"sum": patient}, slots=sandbox.slots()).score([answered(FAST)], progress=0.0)
