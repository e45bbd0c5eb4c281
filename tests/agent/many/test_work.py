"""The work on many targets in the real sandbox, with a model that is loaded once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.many.result import ManyResult
from afterburner.agent.many.work import work_through
from afterburner.agent.proposers.registry import KINDS
from afterburner.agent.types import RunSettings

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.proposers.base import Proposal, ProposalRequest
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


@pytest.mark.slow
def test_a_model_is_opened_once_for_all_targets(
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
    shop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setitem(KINDS, "counted:", f"{__name__}:CountedProposer")
    OPENED.clear()
    ASKED.clear()
    many = ManyResult(shop / "shop", RunSettings(str(shop / "shop"), model="counted:one", max_seconds=600.0, top=3))
    work_through(many, lambda _event: None, lambda _result, _settings: True)
    assert len(many.outcomes) == 3
    assert {"common", "Shelf.missing"} <= set(ASKED)
    assert OPENED == ["counted:one"]


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
    many = ManyResult(shop, RunSettings(str(shop), model="counted:two", max_seconds=600.0, top=1))
    work_through(many, lambda _event: None, lambda _result, _settings: True)
    [outcome] = many.outcomes
    assert outcome.result is not None, outcome.reason
    assert any(origin.startswith("pytest: tests/") for origin, _ in outcome.result.workload_origins)
    assert outcome.result.target.project_root == str(shop)
