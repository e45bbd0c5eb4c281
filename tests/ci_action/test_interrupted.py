"""A run that somebody ends: its report says so, and names what it has not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from repositories import NAMES, Repository

from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.ci_action.formats.phrases import headline
from afterburner.ci_action.measuring import in_own_terms, measure
from afterburner.ci_action.options import CiOptions
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.ci_action.report.document import CiDocument

CHANGED = NAMES.replace("if name]", "if name != '']").replace("result += price", "result = result + price")


def changed_repository(folder: Path) -> Path:
    repository = Repository.make(folder / "project")
    repository.branch("feature")
    repository.commit({"shop/names.py": CHANGED})
    return repository.folder


def interrupted_at(moment: EventKind, options: CiOptions) -> CiDocument:
    def interrupt(event: ProgressEvent) -> None:
        if event.kind is moment:
            raise KeyboardInterrupt

    document = measure(options, interrupt).document
    assert document.interrupted
    return document


@pytest.mark.parametrize(
    ("mode", "moment"),
    [
        (Mode.OPTIMIZE, EventKind.PROFILING_PROJECT),
        (Mode.REGRESSIONS, EventKind.PROFILING_PROJECT),
        (Mode.REGRESSIONS, EventKind.STAGING_VERSIONS),
    ],
)
def test_what_an_interrupted_run_has_not_looked_at_has_no_answer(tmp_path: Path, mode: Mode, moment: EventKind) -> None:
    document = interrupted_at(moment, CiOptions(changed_repository(tmp_path), mode, base="main"))
    assert {each.function for each in document.unanswered} == {"initials", "total"}
    assert {each.decision for each in document.functions} == {Decision.INTERRUPTED}
    assert headline(document) == "The run was interrupted before there was an answer for 2 changed functions"


def test_functions_beyond_the_most_are_told_apart_from_those_without_an_answer(tmp_path: Path) -> None:
    options = CiOptions(changed_repository(tmp_path), Mode.PROVE, base="main", most_functions=1)
    document = interrupted_at(EventKind.STAGING_VERSIONS, options)
    assert len(document.unanswered) == 1
    ended = "The run was interrupted before there was an answer for 1 changed function"
    assert headline(document) == f"{ended}; 1 more was left out by --max-functions"


def test_progress_names_the_options_of_ci() -> None:
    told: list[ProgressEvent] = []
    tell = in_own_terms(told.append)
    tell(ProgressEvent(kind=EventKind.JUDGED, candidate="1.1", detail=TOO_LATE_TO_CONFIRM))
    too_few = "only 9 of 800 inputs could be tried before the time was over; give --max-seconds more"
    tell(ProgressEvent(kind=EventKind.JUDGED, candidate="1.2", detail=f"{too_few}; 1.1 looked better"))
    tell(ProgressEvent(kind=EventKind.JUDGED, candidate="1.3", detail="it says --max-seconds in its text"))
    assert [each.detail for each in told] == [
        "the time budget ended before the winner was confirmed; --max-minutes allows more",
        f"{too_few.replace('max-seconds', 'max-minutes')}; 1.1 looked better",
        "it says --max-seconds in its text",
    ]
    assert [each.candidate for each in told] == ["1.1", "1.2", "1.3"]
