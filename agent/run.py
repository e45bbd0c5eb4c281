"""One run from end to end, for the command line and for Python: `optimize("file.py", function="pairs")`."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import WorkloadError
from afterburner.agent.loop import Loop, empty_state
from afterburner.agent.machine import describe_machine
from afterburner.agent.records import withdrawn
from afterburner.agent.result import make_result, winner_source
from afterburner.agent.selection.decide import Judge
from afterburner.agent.selection.instructions import check_valgrind
from afterburner.agent.selection.sources import timing_cpu
from afterburner.agent.selfcheck.stored import min_effect_for
from afterburner.agent.staging import stage
from afterburner.agent.store import new_run_id, open_checkpointer
from afterburner.agent.types import Objective, ProgressEvent, RunResult, RunSettings
from afterburner.agent.workbench import Workbench
from afterburner.sandbox import Limits, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.runnables import RunnableConfig

    from afterburner.agent.evidence.gather import Evidence
    from afterburner.agent.staging import Staged
    from afterburner.agent.state import LoopState
    from afterburner.agent.types import Machine, Target
    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

LONGEST_WORKLOAD_S = 30.0  # for one look at a source of inputs, and for the original on all of them
SHORTEST_WORKLOAD_S = 5.0
WORKLOAD_SHARE = 0.25  # of the time budget
TOLERANT_OUTPUT_BYTES = 64 * 1024 * 1024  # outcomes whose floats are compared one by one cannot be folded
NODES_PER_ITERATION = 3
NODES_AROUND = 5
SEARCH_SHARE = 0.7  # of the time budget; the rest is kept for confirming the winner


def optimize(  # noqa: PLR0913 - the options of one run, all by keyword
    file: str | Path,
    *,
    function: str | None = None,
    objective: str = "time",
    model: str = "rules",
    iterations: int = RunSettings.iterations,
    candidates: int = RunSettings.candidates,
    calls: str | None = None,
    cases: str | None = None,
    python: str | None = None,
    seed: int = 0,
    max_seconds: float = RunSettings.max_seconds,
    min_effect: float | None = None,
    on_event: Callable[[ProgressEvent], None] | None = None,
) -> RunResult:
    """Optimise one function of a file, or a whole stdin/stdout program, and prove the gain. Nothing is written.

    Args:
        file: the Python file.
        function: `name` or `Class.name`; if None, the one with the most CPU time, or memory, by a profile.
        objective: `time`, `memory` or `integral`.
        model: `rules`, `replay:<file.jsonl>` or a LiteLLM model string.
        iterations: rounds of generate, profile, select.
        candidates: answers asked of a language model in each round.
        calls: a Python file that calls the function.
        cases: a folder of NAME.in and NAME.out.
        python: the interpreter to run the code with.
        seed: of every random choice of ours.
        max_seconds: budget for the run.
        min_effect: the gain's lower bound must exceed 1 + this; None: what suits this machine.
        on_event: is told of progress.

    Raises:
        AfterburnerError: one of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
    """
    settings = RunSettings(
        file=str(file),
        function=function,
        objective=_objective(objective),
        model=model,
        iterations=iterations,
        candidates=candidates,
        calls_file=calls,
        cases_dir=cases,
        python=python,
        seed=seed,
        max_seconds=max_seconds,
    )
    if min_effect is not None:
        settings = replace(settings, min_effect=min_effect, min_effect_source="the caller")
    return run_settings(settings, on_event or _ignore)


def run_settings(settings: RunSettings, on_event: Callable[[ProgressEvent], None]) -> RunResult:
    """Carry out one run. What can fail cheaply fails first: the file, the model, the sandbox, then the workload.

    Raises:
        AfterburnerError: see `optimize`.
    """
    from afterburner.agent.proposers.registry import open_proposer  # noqa: PLC0415 - lazy, as all below
    from afterburner.agent.targets.locate import find_target  # noqa: PLC0415
    from afterburner.sandbox import open_sandbox  # noqa: PLC0415

    clock = RunClock.start(settings.max_seconds)
    whole_program = settings.cases_dir is not None and settings.function is None
    target = find_target(Path(settings.file), settings.function, whole_program=whole_program)
    proposer = open_proposer(settings.model)
    if settings.deterministic:
        check_valgrind()
    with open_sandbox("auto") as sandbox:
        on_event(ProgressEvent("prepare", f"staging {Path(target.project_root).name}"))
        staged = stage(target, sandbox, settings.python)
        machine = describe_machine(sandbox, staged.environment)
        settings = _with_min_effect(settings, machine)
        for each in staged.left_out:
            on_event(ProgressEvent("prepare", f"{each.origin}: {each.reason}"))
        bench = _bench(settings, target, sandbox, staged.environment, on_event)
        bench = replace(bench, workload=replace(bench.workload, skipped=(*staged.left_out, *bench.workload.skipped)))
        loop = Loop(
            bench=bench,
            proposer=proposer,
            judge=Judge(settings.objective, settings.min_effect, settings.seed),
            settings=settings,
            search_until=clock.search_until,
            confirm_until=clock.confirm_until,
            on_event=on_event,
        )
        run_id, state = _run_graph(loop)
        evidence = _evidence(loop, state, staged, machine)
    if evidence is not None and evidence.growth is not None and evidence.growth.disagreement:
        state, evidence = withdrawn(state, evidence.growth.disagreement), None
    result = make_result(settings, bench, state, run_id=run_id, machine=machine, elapsed_s=clock.elapsed_s())
    return replace(result, evidence=evidence)


@dataclass(frozen=True, slots=True)
class RunClock:
    """The time budget of a run: most of it for the search, the rest for confirming the winner."""

    started_s: float
    search_until: Deadline
    confirm_until: Deadline

    @classmethod
    def start(cls, max_seconds: float) -> RunClock:
        """Begin now."""
        return cls(time.monotonic(), Deadline.after(SEARCH_SHARE * max_seconds), Deadline.after(max_seconds))

    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started_s


def _bench(
    settings: RunSettings,
    target: Target,
    sandbox: Sandbox,
    environment: PythonEnvironment,
    on_event: Callable[[ProgressEvent], None],
) -> Workbench:
    from afterburner.agent.targets.locate import find_target  # noqa: PLC0415
    from afterburner.agent.workloads.build import build_workload  # noqa: PLC0415
    from afterburner.agent.workloads.hottest import hottest_function  # noqa: PLC0415

    def tell(message: str) -> None:
        on_event(ProgressEvent("prepare", message))

    allowed_s = min(max(WORKLOAD_SHARE * settings.max_seconds, SHORTEST_WORKLOAD_S), LONGEST_WORKLOAD_S)
    limits = Limits(wall_time_s=allowed_s, cpu_time_s=allowed_s)
    if settings.float_tolerance is not None:
        limits = replace(limits, output_bytes=TOLERANT_OUTPUT_BYTES)
    if target.function is None and settings.cases_dir is None:
        tell("profiling the file to find the function to optimise")
        function = hottest_function(sandbox, target, environment, settings, limits)
        what = "uses the most CPU time" if settings.objective is Objective.TIME else "holds the most memory"
        tell(f"{function} {what}")
        target = find_target(Path(settings.file), function)
    workload = build_workload(sandbox, target, environment, settings, limits, tell)
    if not workload.held_out_count:
        raise WorkloadError(
            f"{target.path}: there is just one usable input, and a rewrite has to be confirmed on inputs that it was "
            "not selected on. Add a second case or call."
        )
    return Workbench(target, workload, sandbox, environment, limits, timing_cpu())


def _run_graph(loop: Loop) -> tuple[str, LoopState]:
    run_id = new_run_id()
    with open_checkpointer() as checkpointer:
        graph = loop.compile(checkpointer)
        config: RunnableConfig = {
            "configurable": {"thread_id": run_id},
            "recursion_limit": NODES_PER_ITERATION * loop.settings.iterations + NODES_AROUND,
        }
        state = graph.invoke(empty_state(), config, durability="sync")
    return run_id, cast("LoopState", state)


def _with_min_effect(settings: RunSettings, machine: Machine) -> RunSettings:
    """The settings with the minimum effect that holds on this machine, unless the user has set one."""
    if settings.min_effect_source:
        return settings
    found = min_effect_for(None, machine)
    return replace(settings, min_effect=found.value, min_effect_source=found.source)


def _evidence(loop: Loop, state: LoopState, staged: Staged, machine: Machine) -> Evidence | None:
    """What is told of an offer beside its gain."""
    from afterburner.agent.evidence.gather import Offered, gather_evidence  # noqa: PLC0415 - not every run gets here

    confirmation = state["confirmation"]
    if confirmation is None or not confirmation.confirmed or confirmation.gain is None:
        return None
    offered = Offered(
        source=winner_source(state),
        gain=confirmation.gain,
        held_out_gain=confirmation.held_out.gain,
        blocks=tuple(confirmation.blocks),
        larger_inputs=confirmation.larger_inputs,
    )
    return gather_evidence(
        loop.bench,
        loop.settings,
        offered,
        project=staged.project,
        machine=machine,
        deadline=loop.confirm_until,
        tell=lambda message: loop.on_event(ProgressEvent("confirm", message)),
    )


def _objective(name: str) -> Objective:
    try:
        return Objective(name)
    except ValueError:
        raise UsageError(f"There is no objective {name!r}. Use one of: {', '.join(Objective)}.") from None


def _ignore(_event: ProgressEvent) -> None:
    pass
