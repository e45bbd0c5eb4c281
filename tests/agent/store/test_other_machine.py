"""A run that goes on on another machine: its minimum effect is that one's, its figures keep the name of theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import optimize
from afterburner.agent.events import EventKind, OnEvent
from afterburner.agent.judge.min_effect import remember
from afterburner.agent.session import one_run
from afterburner.agent.session.shortcuts import resume
from afterburner.agent.store.table import open_runs

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.types import Machine

SLOW = """\
def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    for size in (700, 800, 900, 1000):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""


def interrupted_at(kind: EventKind) -> OnEvent:
    def on_event(event: ProgressEvent) -> None:
        if event.kind is kind:
            raise KeyboardInterrupt

    return on_event


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("sandbox", "run_store", "untimed_sessions")
@pytest.mark.parametrize("run_store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)], indirect=True)
def test_a_run_that_goes_on_elsewhere_is_judged_as_that_machine_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines: list[Machine] = []
    describe = one_run.describe_machine

    def on_machine(cpu_model: str) -> None:
        def described(*arguments: object) -> Machine:
            machines.append(replace(describe(*arguments), cpu_model=cpu_model))  # type: ignore[arg-type]
            return machines[-1]

        monkeypatch.setattr(one_run, "describe_machine", described)

    path = tmp_path / "names.py"
    path.write_text(SLOW)
    on_machine("first")
    with pytest.raises(KeyboardInterrupt):
        optimize(path, function="common", iterations=1, max_seconds=240, on_event=interrupted_at(EventKind.ASKING))
    with open_runs() as runs:
        run_id = runs.find("latest").run_id
        before = runs.prepared(run_id)
    assert before is not None
    assert (before.machine.cpu_model, before.settings.proof.effect) == ("first", 0.05)

    on_machine("second")
    remember(replace(machines[0], cpu_model="second"), 0.2)
    with pytest.raises(KeyboardInterrupt):
        resume("latest", interrupted_at(EventKind.MEASURING_GROWTH))
    with open_runs() as runs:
        after = runs.prepared(run_id)
    assert after is not None
    assert (after.machine.cpu_model, after.settings.proof.effect) == ("second", 0.2)
    assert after.workload == before.workload
    on_machine("third")
    result = resume("latest")
    assert result.improved, result.summary
    assert result.machine.cpu_model == "second", "where the winner was tested"
