"""Whether all is still as it was when a run was started, so that it can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.locate import read_source
from afterburner.agent.errors import RunStoreError, TargetChangedError, TargetError
from afterburner.agent.store.stored_run import FORMAT

if TYPE_CHECKING:
    from afterburner.agent.store.stored_run import KeptRun
    from afterburner.agent.types import Machine, Target

_KEPT = "The run is kept"


def check_format(run: KeptRun) -> None:
    """Refuse a run that another version of this program has begun.

    Raises:
        RunStoreError: its state means something else here.
    """
    if run.format != FORMAT:
        raise RunStoreError(
            f"Run {run.run_id} was started by another version of this program, which has to continue it. "
            f"{_KEPT}; or start a new one."
        )


def check_unchanged(run: KeptRun, target: Target) -> None:
    """Refuse to go on where the user's file is not what it was.

    Raises:
        TargetChangedError: it is gone, or it was changed.
    """
    advice = f"{_KEPT}: restore the file and resume it, or start a new run."
    try:
        now = read_source(target.path)
    except TargetError as error:
        raise TargetChangedError(f"{error} {advice}") from error
    if now != (target.source, target.encoding):
        raise TargetChangedError(f"{target.path} was changed since run {run.run_id} was started. {advice}")


def check_machine(run_id: str, before: Machine, now: Machine) -> None:
    """Refuse to go on under another Python: calls were recorded, and times taken, under the first.

    Raises:
        TargetChangedError: the interpreter is of another version.
    """
    if before.python != now.python:
        raise TargetChangedError(
            f"Run {run_id} was started under Python {before.python}, and this is Python {now.python}. {_KEPT}: "
            "resume it where --python, VIRTUAL_ENV or the project's .venv leads to the first, or start a new run."
        )


def other_machine(run_id: str) -> TargetChangedError:
    """Why a run by the paper's selection does not go on: it compares single measurements."""
    return TargetChangedError(
        f"Run {run_id} was started on another machine, or under another sandbox or compiler. Single measurements "
        f"cannot be compared with those taken there. {_KEPT}: resume it there, or start a new run."
    )
