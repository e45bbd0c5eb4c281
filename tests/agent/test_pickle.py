"""Every error of the project crosses to another process with its message and what it carries."""

from __future__ import annotations

import importlib
import pickle

import pytest

from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.models.requests.client import RequestFailedError
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.failures import Failure
from afterburner.agent.models.requests.refusals import EndlessResponseError, RedirectedError
from afterburner.evals.errors import RecordError
from afterburner.sandbox import AfterburnerError, CancelledError, Verdict
from afterburner.sandbox.service.problems import RefusalError

FAILURE = Failure("gone", passing=True, free=False, wait_s=3.0)
MADE = [
    CapReachedError("The cap is reached.", after="It failed."),
    RequestFailedError(FAILURE),
    RedirectedError("here", "http://there"),
    EndlessResponseError(),
    SampleFailedError(Verdict.RUNTIME_ERROR, "it crashed", 1),
    CancelledError(),
    RecordError("difficulty", "this has to be a text"),
    RefusalError(503, "busy", "Come back later.", retry_after_s=2.0),
]


def kinds(of: type[AfterburnerError]) -> list[type[AfterburnerError]]:
    return [of, *(found for each in of.__subclasses__() for found in kinds(each))]


def test_each_error_of_the_tree_survives() -> None:
    for floor in ("agent", "evals"):
        importlib.import_module(f"afterburner.{floor}.errors")
    found = kinds(AfterburnerError)
    assert len(found) > 10
    for kind in found:
        error = pickle.loads(pickle.dumps(kind("What happened.")))  # noqa: S301 - our own
        assert (type(error), str(error), error.exit_code) == (kind, "What happened.", kind.exit_code)


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_what_an_error_carries_survives(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
