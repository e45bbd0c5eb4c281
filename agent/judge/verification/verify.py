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
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import InputOptions, RunSettings, Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.judge.verification.options import VerifySettings
    from afterburner.agent.types import Machine, Skipped, Target
    from afterburner.sandbox import Sandbox

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


def verify_settings(
    settings: VerifySettings, on_event: Callable[[ProgressEvent], None], sandbox: Sandbox
) -> Verification:
    """Carry out one comparison.

    Raises:
        AfterburnerError: one of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
    """
    started_s = time.monotonic()
    deadline = Deadline.after(settings.max_seconds)

    def tell(message: str) -> None:
        on_event(ProgressEvent("verify", message))

    target = find_target(Path(settings.file), settings.function)
    other = find_target(Path(settings.against), settings.function)
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
