"""The front door for Python."""

from pathlib import Path

import pytest

from afterburner.agent import optimize
from afterburner.agent.errors import TargetError
from afterburner.agent.inputs import staging
from afterburner.sandbox import UsageError
from afterburner.sandbox.project import StagedProject


def test_the_front_door_is_a_function_however_often_it_is_opened(tmp_path: Path) -> None:
    for _ in range(2):
        from afterburner.agent import optimize as again  # noqa: PLC0415 - the second import meets a loaded package

        assert again is optimize
    with pytest.raises(TargetError, match="No such file"):
        optimize(tmp_path / "none.py")


def test_an_unknown_objective_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'speed'.*time, memory, integral"):
        optimize(tmp_path / "none.py", objective="speed")


def test_what_the_code_will_not_find_is_one_entry_of_the_report() -> None:
    names = tuple(f"{name}.pem: such files hold keys" for name in "abcde")
    project = StagedProject((), 3, names, Path("/p"), Path("/copy"))
    [skipped] = staging.left_out_of(project)
    assert skipped.reason.startswith("not shown to the code: a.pem: such files hold keys; b.pem")
    assert skipped.reason.endswith("; and 2 more")
    assert staging.left_out_of(StagedProject((), 3, (), Path("/p"), Path("/copy"))) == ()
