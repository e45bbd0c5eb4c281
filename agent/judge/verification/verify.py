"""`verify`: is a function of one file the same as that of another, on every input that can be thought of?"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.events import ProgressEvent
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.measuring.workbench import Workbench, look_limits
from afterburner.agent.judge.verification.options import VerifySettings
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import InputOptions, RunSettings, Search
from afterburner.sandbox import open_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Machine, Skipped, Target

WORKLOAD_SHARE = 0.25  # of the time budget, for one look at a source of inputs
SHORTEST_WORKLOAD_S = 5.0
LONGEST_WORKLOAD_S = 30.0
SHRINKING_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of one comparison. `found` is the difference, or how far there is none."""

    target: Target
    against: str  # absolute path
    found: Counterexample | Agreement
    workload_origins: tuple[str, ...]  # of the real calls, one entry for each
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float

    @property
    def agrees(self) -> bool:
        """Whether no difference was found."""
        return isinstance(self.found, Agreement)


def verify(
    file: str | Path,
    *,
    against: str | Path,
    function: str,
    calls: str | None = None,
    python: str | None = None,
    seed: int = 0,
    max_seconds: float = 60.0,
    float_tolerance: float | None = None,
    on_event: Callable[[ProgressEvent], None] | None = None,
) -> Verification:
    """Compare a function of `file` with the function of the same name in `against`, which is run in the file's place.

    Args:
        file: the Python file with the original.
        against: another whole file.
        function: `name` or `Class.name`.
        calls: a Python file that calls the function; without it, calls are found as for `optimize`.
        python: the interpreter to run the code with.
        seed: of every random choice of ours.
        max_seconds: budget for all of it. It takes less where nothing new can be thought of.
        float_tolerance: the largest relative difference of two floats; exactly equal without it.
        on_event: is told of progress.

    Raises:
        AfterburnerError: one of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
    """
    settings = VerifySettings(str(file), str(against), function, calls, python, seed, max_seconds, float_tolerance)
    return verify_settings(settings, on_event or _ignore)


def verify_settings(settings: VerifySettings, on_event: Callable[[ProgressEvent], None]) -> Verification:
    """Carry out one comparison.

    Raises:
        AfterburnerError: see `verify`.
    """
    started_s = time.monotonic()
    deadline = Deadline.after(settings.max_seconds)

    def tell(message: str) -> None:
        on_event(ProgressEvent("verify", message))

    target = find_target(Path(settings.file), settings.function)
    other = find_target(Path(settings.against), settings.function)
    with open_sandbox("auto") as sandbox:
        tell(f"staging {Path(target.project_root).name}")
        staged = stage(target, sandbox, settings.python)
        allowed_s = min(max(WORKLOAD_SHARE * settings.max_seconds, SHORTEST_WORKLOAD_S), LONGEST_WORKLOAD_S)
        limits = look_limits(allowed_s, settings.float_tolerance)
        options = RunSettings(
            settings.file,
            settings.function,
            inputs=InputOptions(
                calls=settings.calls_file, python=settings.python, float_tolerance=settings.float_tolerance
            ),
            search=Search(seed=settings.seed),
        )
        workload = build_workload(sandbox, target, staged.environment, options, limits, tell)
        calls = workload.calls_in_order()
        # Nothing is selected here, so inputs may be made from all calls.
        bench = Workbench(
            target, replace(workload, calls=calls, held_out_calls=()), sandbox, staged.environment, limits, None
        )
        shrinking_s = max(SHRINKING_SHARE * settings.max_seconds, 1.0)
        search = DifferenceSearch(bench, target.source, settings.seed, tell, shrinking_s)
        found = search.against(other.source, deadline, real_calls=calls)
        machine = describe_machine(sandbox, staged.environment)
    return Verification(
        target=target,
        against=other.path,
        found=found,
        workload_origins=tuple(workload.origins()),
        skipped=(*staged.left_out, *workload.skipped, *(found.skipped if isinstance(found, Agreement) else ())),
        machine=machine,
        elapsed_s=time.monotonic() - started_s,
    )


def _ignore(_event: ProgressEvent) -> None:
    pass
