"""The work on many targets in the real sandbox, with a model that is loaded once."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.batch.batch_results import ManyResult
from afterburner.agent.batch.work import resume_many, work_through
from afterburner.agent.errors import NotTrustedError
from afterburner.agent.events import ProgressEvent, Stage, ignore_event
from afterburner.agent.models.registry import KINDS
from afterburner.agent.options import BatchPlace, ModelOptions, RunSettings, Search
from afterburner.agent.session.from_settings import session_for
from afterburner.agent.session.session import open_session
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.sandbox import CancelledError

from .conftest import NAMES

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.events import OnEvent
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.sandbox import Sandbox

OPENED: list[str] = []
ASKED: list[str | None] = []


class CountedProposer:
    """Counts how often it is opened, and proposes nothing."""

    asks_model = False

    def __init__(self, name: str, **_others: object) -> None:
        self.name = name
        OPENED.append(name)

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give nothing."""
        ASKED.append(request.target.function)
        return []


def worked_through(many: ManyResult, on_event: OnEvent) -> None:
    with session_for(many.settings, many.run_id) as session:
        work_through(session, many, on_event, lambda _result, _settings: True)


@pytest.mark.nightly
@pytest.mark.slow
def test_one_model_is_asked_about_all_targets(
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
    shop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setitem(KINDS, "counted:", f"{__name__}:CountedProposer")
    OPENED.clear()
    ASKED.clear()
    many = ManyResult(
        shop / "shop",
        RunSettings(
            str(shop / "shop"),
            models=ModelOptions(model="counted:one"),
            search=Search(max_seconds=600.0),
            batch=BatchPlace(top=3),
        ),
        new_run_id(),
    )
    worked_through(many, ignore_event)
    assert many.tried == 3  # what no input is found for does not count
    assert {"common", "Shelf.missing"} <= set(ASKED), [(each.target.function, each.reason) for each in many.outcomes]
    assert set(OPENED) == {"counted:one"}


@pytest.mark.nightly
@pytest.mark.slow
def test_outside_git_each_run_sees_the_project_of_the_folder(
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
    shop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setitem(KINDS, "counted:", f"{__name__}:CountedProposer")
    ASKED.clear()
    shutil.rmtree(shop / ".git")
    (shop / "app.py").unlink()
    many = ManyResult(
        shop,
        RunSettings(
            str(shop),
            models=ModelOptions(model="counted:two"),
            search=Search(max_seconds=600.0),
            batch=BatchPlace(top=1),
        ),
        new_run_id(),
    )
    worked_through(many, ignore_event)
    [outcome] = many.outcomes
    assert outcome.result is not None, outcome.reason
    assert any(origin.startswith("pytest: tests/") for origin, _ in outcome.result.workload_origins)
    assert outcome.result.target.project_root == str(shop)


NO_RULE = """\
def stirred(n):
    state, seen = 1, 0
    while n > 0:
        state = (state * 1103515245 + 12345) % 2147483648
        seen ^= state
        n -= 1
    return seen
"""
ITS_TESTS = """\
from names import common
from stirring import stirred

def test_stirred():
    assert [stirred(n) for n in (900_000, 1_000_000)]

def test_common():
    assert common(list(range(700)), list(range(500, 900))) == list(range(500, 700))
    assert common(list(range(600)), list(range(500, 900))) == list(range(500, 600))
"""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("untimed_sessions")
def test_whoever_resumes_gives_each_target_its_own_run(
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first target has no run, for no rule fits it; the run that was interrupted is the second target's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "names.py").write_text(NAMES)
    (project / "stirring.py").write_text(NO_RULE)
    (project / "test_both.py").write_text(ITS_TESTS)
    (project / "pyproject.toml").write_text("")

    def interrupt(event: ProgressEvent) -> None:
        if (event.number, event.targets, event.target) == (1, 1, "common") and event.stage is Stage.PROFILE:
            raise KeyboardInterrupt

    settings = RunSettings(str(project), search=Search(max_seconds=300.0, iterations=1), batch=BatchPlace(top=1))
    many = ManyResult(project, settings, new_run_id())
    worked_through(many, interrupt)
    assert many.interrupted
    with session_for(settings, many.run_id) as session:
        resumed = resume_many(session, many.run_id, ignore_event, lambda _result, _settings: True)
    first, second = resumed.outcomes
    assert (first.target.function, first.decision, first.result) == ("stirred", "nothing_to_propose", None)
    assert second.target.function == "common"
    assert second.result is not None, second.reason
    assert (second.result.target.function, second.result.run_id) == ("common", f"{many.run_id}.01")


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_nothing_of_a_folder_runs_without_trust_and_a_session_that_ends_cancels_the_work(
    shop: Path, tmp_path: Path
) -> None:
    settings = RunSettings(str(shop), search=Search(max_seconds=600.0), batch=BatchPlace(top=3))
    many, heard = ManyResult(shop, settings, new_run_id()), list[ProgressEvent]()
    with (
        open_session(store=tmp_path / "runs", trust=lambda _request: False) as session,
        pytest.raises(NotTrustedError, match="not trusted"),
    ):
        work_through(session, many, heard.append, lambda _result, _settings: True)
    assert heard == []
    begun = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with open_session(store=tmp_path / "runs") as session:
            many = ManyResult(shop, settings, new_run_id())
            running = pool.submit(work_through, session, many, lambda _event: begun.set(), lambda *_: True)
            assert begun.wait(600)
        assert isinstance(running.exception(), CancelledError)
