"""What a job tells while it works: typed facts with the run, the fraction done and the cost; words come later."""

from __future__ import annotations

import json
import pickle

import pytest

from afterburner.agent.cli.progress import to_document
from afterburner.agent.events import EventKind, ProgressEvent, Stage, in_stage
from afterburner.agent.job_reporter import JobReporter
from afterburner.agent.progress_lines import line_of, spent_of
from afterburner.agent.types import Decision, Gain
from afterburner.agent.usage import Usage

USED = Usage(requests=3, prompt_tokens=4_000, completion_tokens=210, cost_usd=0.0031)
JUDGED = ProgressEvent(
    kind=EventKind.JUDGED,
    stage=Stage.PROFILE,
    iteration=1,
    candidate="1.3",
    proposer="rules: join-strings",
    decision=Decision.NOT_BETTER,
    detail="worse",
    gain=Gain(0.9, 0.8, 1.0, 0.98, 8),
    best_ratio=1.5,
)


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_has_its_line_and_its_json(kind: EventKind) -> None:
    event = ProgressEvent(kind=kind, subject="it", detail="why", count=2, most=9, ratio=1.5, seconds=3.0)
    line = line_of(event)
    assert line
    assert "None" not in line
    assert json.loads(json.dumps(to_document(event), allow_nan=False))["kind"] == kind.value
    assert pickle.loads(pickle.dumps(event)) == event  # noqa: S301 - our own


def test_a_judged_candidate_in_words_and_as_json() -> None:
    assert line_of(JUDGED) == "1.3 rules: join-strings: not better: worse"
    document = to_document(JUDGED)
    assert (document["decision"], document["gain"]["ratio"], document["best_ratio"]) == ("not_better", 0.9, 1.5)
    assert "message" not in document


def test_what_others_wrote_is_scrubbed() -> None:
    event = ProgressEvent(kind=EventKind.RETRYING, detail="no\x1b[2J\nanswer", subject="a\x07b")
    assert "\x1b" not in line_of(event) + json.dumps(to_document(event))
    assert "\n" not in line_of(event)


def test_only_events_of_models_say_what_was_spent() -> None:
    answered = ProgressEvent(kind=EventKind.ANSWERED, subject="m", usage=USED)
    assert spent_of(answered) == "3 requests, 4,210 tokens, $0.0031"
    assert not spent_of(ProgressEvent(kind=EventKind.JUDGING, count=1, usage=USED))
    document = to_document(answered)
    assert (document["requests"], document["tokens"], document["cost_usd"]) == (3, 4_210, 0.0031)
    unpriced = ProgressEvent(kind=EventKind.ANSWERED, usage=Usage(requests=1, unpriced=1))
    assert to_document(unpriced)["cost_usd"] is None


def test_a_run_says_which_it_is_and_how_far() -> None:
    heard: list[ProgressEvent] = []
    report = JobReporter(heard.append, "id", "/srv/shop.py::value", iterations=2, usage=lambda: USED)
    report(ProgressEvent(kind=EventKind.STAGING))
    report(ProgressEvent(kind=EventKind.ASKING, stage=Stage.GENERATE, iteration=2))
    report(JUDGED)
    report(ProgressEvent(kind=EventKind.CONFIRMING, stage=Stage.CONFIRM))
    report(ProgressEvent(kind=EventKind.BLOCKS_TAKEN, stage=Stage.CONFIRM, count=5, most=10))
    fractions = [event.fraction for event in heard]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, pytest.approx(0.8))
    assert [event.best_ratio for event in heard] == [None, None, 1.5, 1.5, 1.5]
    assert {(event.run_id, event.job, event.usage.requests) for event in heard} == {("id", "/srv/shop.py::value", 3)}


def test_a_comparison_says_how_far_its_blocks_are() -> None:
    heard: list[ProgressEvent] = []
    report = in_stage(JobReporter(heard.append, "id", "job"), Stage.COMPARE)
    for event in (
        ProgressEvent(kind=EventKind.RUNNING_BEFORE),
        ProgressEvent(kind=EventKind.MEASURING_BOTH),
        ProgressEvent(kind=EventKind.BLOCKS_TAKEN, count=10, most=10),
    ):
        report(event)
    assert [event.fraction for event in heard] == [0.0, 0.3, pytest.approx(0.9)]
    assert {event.stage for event in heard} == {Stage.COMPARE}
