"""Several functions of a package at a time, in the real sandbox: what comes of each is what comes of it in turns."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.batch import turns
from afterburner.agent.batch.batch_results import ManyResult
from afterburner.agent.batch.work import resume_many, work_through
from afterburner.agent.events import EventKind, ignore_event
from afterburner.agent.models.registry import KINDS
from afterburner.agent.models.rules_proposer import RulesProposer
from afterburner.agent.options import BatchPlace, ModelOptions, RunSettings, Search
from afterburner.agent.session.session import open_session
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.sandbox import CancelledError, CancelToken
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.tracing import SANDBOX, recording

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.batch.batch_results import Outcome
    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.sandbox.tracing import Span

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.usefixtures("sandbox", "untimed_sessions")]

LOOKING = '''\
import os


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


def tokens(left, right):
    """Differs each time, so that nothing can be judged on it."""
    found = []
    for name in left:
        if name in right:
            found.append(name)
    return found, os.urandom(8)


def missing(known, wanted):
    result = []
    for title in wanted:
        if title not in known:
            result.append(title)
    return result


def both(left, right):
    """No rule has anything for it."""
    return common(left, right), missing(left, right)
'''
TESTS = """\
from looking import both, common, missing, tokens

LEFT = [f"name-{number}" for number in range(500)]
RIGHT = [f"name-{number * 3}" for number in range(400)]


def test_common():
    assert len(common(LEFT, RIGHT)) == 167
    assert len(common(LEFT[100:], RIGHT)) == 133


def test_tokens():
    assert len(tokens(LEFT, RIGHT)[0]) == 167
    assert [len(tokens(LEFT[start:], RIGHT)[0]) for start in (30, 60, 90)] == [157, 147, 137]


def test_missing():
    assert len(missing(RIGHT, LEFT)) == 333
    assert len(missing(RIGHT[:300], LEFT)) == 333


def test_both():
    assert len(both(LEFT[:200], RIGHT)[0]) == 67
"""
TOGETHER = 2


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give a project with four functions; one of them cannot be judged, and one no rule fits."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "looking.py").write_text(LOOKING)
    (folder / "test_looking.py").write_text(TESTS)
    (folder / "pyproject.toml").write_text("")
    return folder


@dataclass
class Heard:
    """What a run over many functions tells, and which threads tell it."""

    events: list[ProgressEvent] = field(default_factory=list)
    threads: dict[str, set[int]] = field(default_factory=dict)  # by function

    def __call__(self, event: ProgressEvent) -> None:
        """Keep an event."""
        self.events.append(event)
        self.threads.setdefault(event.target, set()).add(threading.get_ident())


def asked_for(place: Path, jobs: int | None, model: str = "rules", top: int = 9) -> ManyResult:
    settings = RunSettings(
        str(place),
        models=ModelOptions(model=model),
        search=Search(max_seconds=900.0, iterations=1),
        batch=BatchPlace(top=top, jobs=jobs),
    )
    return ManyResult(place, settings, new_run_id())


def worked_through(many: ManyResult, store: Path, on_event: Callable[[ProgressEvent], None] = ignore_event) -> None:
    with open_session(models=many.settings.models, store=store, session_id=many.run_id) as session:
        work_through(session, many, on_event, lambda _result, _settings: True)


def told(outcome: Outcome) -> tuple[str, ...]:
    result = outcome.result
    found = (result.best_source, str(result.workload_origins)) if result else ()
    return (outcome.target.function, outcome.decision, outcome.reason, *found)


@pytest.mark.nightly
def test_functions_at_a_time_end_as_in_turns_and_one_is_judged_while_another_is_timed(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not divide_cores().beside():
        pytest.skip("with one core, all is done in turns")
    in_turns, together = asked_for(place, 1, top=2), asked_for(place, TOGETHER, top=2)
    worked_through(in_turns, tmp_path / "in-turns")
    heard = Heard()
    monkeypatch.setattr(turns, "LOOK_AHEAD_S", 600.0)  # so that it is known at once who needs no turn
    with recording() as recorder:
        worked_through(together, tmp_path / "together", heard)
    assert sorted(map(told, together.outcomes)) == sorted(map(told, in_turns.outcomes))
    assert [each.target for each in together.outcomes] == list(together.ranked[: len(together.outcomes)])
    tried = [each for each in together.outcomes if each.target.function != "both"]
    decisions = {each.target.function: each.decision for each in tried}
    assert len(tried) == together.turns == 3, "a function without inputs makes room for the next one"
    assert together.tried == 2
    assert decisions == {"common": "improved", "missing": "improved", "tokens": "no_workload"}
    shares_s = [each.settings.search.max_seconds for each in in_turns.outcomes if each.settings]
    assert min(shares_s) > 900 / 4, "what the profile leaves of the time is shared"
    assert together.merged.texts == in_turns.merged.texts
    assert together.tests is not None
    assert together.tests.green

    own = [event for event in heard.events if event.number]
    assert {event.targets for event in own} == {2, 3}, "two, and one more as the first has no inputs"
    assert {(event.number, event.target) for event in own} == {
        (number, each.target.function) for number, each in enumerate(tried, start=1)
    }
    assert len({event.run_id for event in own if event.run_id}) == 3
    done = [event.target for event in own if event.kind is EventKind.FUNCTION_DONE]
    assert sorted(done) == sorted(decisions)

    main_threads = {thread for function, threads in heard.threads.items() if function for thread in threads}
    spans = [each for each in recorder.spans if each.row in {f"thread {thread}" for thread in main_threads}]
    leased = [each for each in spans if each.name == "leased"]
    untimed = [each for each in spans if each.lane == SANDBOX and not any(is_within(each, lease) for lease in leased)]
    assert any(timed.row != judged.row and overlap(timed, judged) for timed, judged in product(leased, untimed))
    taken = [each for each in recorder.spans if each.name in ("leased", "borrowed")]
    for first, second in product(taken, taken):
        assert first is second or first.lane != second.lane or not overlap(first, second), "both on one core at once"


def is_within(inner: Span, outer: Span) -> bool:
    return inner.row == outer.row and outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns


def overlap(first: Span, second: Span) -> bool:
    return first.start_ns < second.end_ns and second.start_ns < first.end_ns


class CrashingRules:
    """The rules, with a bug that shows at one function."""

    asks_model = False

    def __init__(self, name: str, **_others: object) -> None:
        self.name = name
        self._rules = RulesProposer()

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Propose what the rules do, or crash."""
        if request.target.function == "missing":
            raise ZeroDivisionError("no such luck")
        return self._rules.propose(request)


@pytest.mark.nightly
def test_a_crash_of_one_function_costs_the_others_nothing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "crashing:", f"{__name__}:CrashingRules")
    many = asked_for(place, TOGETHER, "crashing:one")
    worked_through(many, tmp_path / "runs")
    found = {each.target.function: each for each in many.outcomes}
    assert found["common"].decision == "improved", found["common"].reason
    assert found["missing"].decision == "failed"
    assert "unexpected ZeroDivisionError: no such luck; this is a bug" in found["missing"].reason
    assert list(many.merged.texts) == [found["common"].target.path]


def once_two_are_at_work(act: Callable[[], None]) -> Callable[[ProgressEvent], None]:
    """Do something at an event of a second function, while the first goes on."""
    at_work = set[int]()

    def hear(event: ProgressEvent) -> None:
        if event.kind is EventKind.FUNCTION_DONE:
            at_work.discard(event.number)
        elif event.kind is EventKind.REPLAYING_CALLS:
            at_work.add(event.number)
            if len(at_work) == TOGETHER:
                act()

    return hear


def interrupt() -> None:
    raise KeyboardInterrupt


def resumed(many: ManyResult, store: Path) -> ManyResult:
    with open_session(store=store, session_id=many.run_id) as session:
        return resume_many(session, many.run_id, ignore_event, lambda _result, _settings: True)


@pytest.mark.nightly
def test_an_interrupt_ends_all_of_them_and_each_goes_on_where_it_stands(place: Path, tmp_path: Path) -> None:
    if not divide_cores().beside():
        pytest.skip("with one core, all is done in turns")
    many = asked_for(place, TOGETHER)
    worked_through(many, tmp_path / "runs", once_two_are_at_work(interrupt))
    assert many.interrupted
    assert [each.decision for each in many.outcomes].count("interrupted") >= TOGETHER
    assert nothing_goes_on()
    again = resumed(many, tmp_path / "runs")
    assert {each.target.function: each.decision for each in again.outcomes} == {
        "common": "improved",
        "missing": "improved",
        "tokens": "no_workload",
        "both": "nothing_to_propose",
    }
    assert [each.target for each in again.outcomes] == list(again.ranked)
    assert {each.decision for each in again.outcomes if each.result is None} == {"no_workload", "nothing_to_propose"}


def test_a_cancel_leaves_nothing_behind(place: Path, tmp_path: Path) -> None:
    if not divide_cores().beside():
        pytest.skip("with one core, all is done in turns")
    many, token = asked_for(place, TOGETHER), CancelToken()
    with open_session(store=tmp_path / "runs") as session, ThreadPoolExecutor(1) as pool:
        cancelling = once_two_are_at_work(lambda: pool.submit(token.cancel).result())
        with pytest.raises(CancelledError):
            work_through(session, many, cancelling, lambda _result, _settings: True, cancel=token)
        assert nothing_goes_on()


def nothing_goes_on() -> bool:
    """Whether no thread works on a function any more, and no container is left."""
    names = {thread.name.partition("_")[0] for thread in threading.enumerate()}
    children = [pid for each in Path("/proc/self/task").iterdir() for pid in (each / "children").read_text().split()]
    programs = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children]
    return names.isdisjoint({"function", "ahead"}) and not any(b"bwrap" in program for program in programs)
