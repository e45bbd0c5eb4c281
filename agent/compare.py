"""One comparison of two versions from end to end: staged, judged, measured, with its evidence."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, in_stage, waiting_for_core
from afterburner.agent.evidence.gather import GROWTH_S
from afterburner.agent.evidence.growth import measure_growth
from afterburner.agent.evidence.project_files import project_files
from afterburner.agent.evidence.receipt import make_receipt
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.hottest import hottest_function
from afterburner.agent.inputs.versions import changed_function, read_version, stage_versions
from afterburner.agent.judge.comparing import MEASURED, Compared, Comparing, ComparisonDecision, TextObjections
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench, workload_limits
from afterburner.agent.judge.min_effect import MinEffect, min_effect_for
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.receipt import Receipt
    from afterburner.agent.inputs.versions import Versions
    from afterburner.agent.job import Job
    from afterburner.agent.options import Proof, Search
    from afterburner.agent.types import Machine, Skipped, Target
    from afterburner.sandbox import Measurement
    from afterburner.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Memory:
    """Peak and integral of each version's calls in a process of its own; one sample: a figure, no proof."""

    before: Measurement
    after: Measurement


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What came of a comparison, and what it rests on."""

    target: Target  # of BEFORE
    before_revision: str  # the commit; empty: what is on the disk
    after_path: str
    after_revision: str
    changed_files: tuple[str, ...]  # other files of the project that differ
    compared: Compared
    objective: Objective
    min_effect: MinEffect
    float_tolerance: float | None
    seed: int
    memory: Memory | None
    growth: Growth | None
    receipt: Receipt | None
    workload_origins: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float

    @property
    def decision(self) -> ComparisonDecision:
        """Different, faster, slower, same or too noisy."""
        return self.compared.decision


def compare_jobs(
    before: Job,
    after: Job,
    search: Search,
    proof: Proof,
    *,
    sandbox: Sandbox,
    on_event: OnEvent,
    allow: Callable[[Target], None] = lambda _: None,
) -> ComparisonResult:
    """Compare two versions of a function or a program; see `Session.compare`.

    Raises:
        UsageError: a file, function or revision is not there, or the options exclude each other.
        WorkloadError: there are no inputs, or BEFORE does not do the same each time.
        SandboxInternalError: the sandbox failed.
    """
    started_s, deadline = time.monotonic(), Deadline.after(search.max_seconds)

    report = in_stage(on_event, Stage.COMPARE)
    before, after = _of_one_function(before, after)
    report(ProgressEvent(kind=EventKind.STAGING_VERSIONS))
    inputs = before.inputs
    old, new = read_version(before, sandbox), read_version(replace(after, inputs=inputs), sandbox)
    if old.target.language != new.target.language:
        raise UsageError(f"{old.target.language} and {new.target.language}: both versions must be in one language.")
    for target in (old.target, new.target):
        allow(target)
    versions = stage_versions(old, new, sandbox, inputs.python)
    settings = RunSettings(before.path, before.function, inputs, search, proof, batch=before.batch)
    target = _target(versions, before, settings, sandbox)
    machine = describe_machine(sandbox, versions.environment, target.language)
    min_effect = min_effect_for(proof.min_effect, machine)
    changed = _changed_files(versions)
    limits = workload_limits(settings.search.max_seconds, settings.inputs.float_tolerance)
    workload = build_workload(sandbox, target, versions.environment, settings, limits, report)
    own_tree = versions.after_environment if changed else None
    if proof.receipt and own_tree is not None:
        raise UsageError(
            f"--receipt: {changed[0]} differs, too, and a receipt holds two versions of one file. Compare without it."
        )
    core = TimingCore(waiting_for_core(on_event), budget=deadline.clock)
    bench = Workbench(target, workload, sandbox, versions.environment, limits, core, own_tree)
    judge = TwoSidedJudge(search.objective, min_effect.value, search.seed)
    comparing = Comparing(bench, judge, deadline, on_event, _text_objections(versions, changed))
    source = versions.after.target.source
    compared = comparing.compare(source)
    bench = comparing.bench
    growth = memory = receipt = None
    if compared.decision is not ComparisonDecision.DIFFERENT:
        memory = _memory(bench, source)
        if proof.growth and search.objective is Objective.TIME and not deadline.passed():
            report(ProgressEvent(kind=EventKind.MEASURING_GROWTH))
            growth = measure_growth(bench, source, Deadline.after(min(GROWTH_S, deadline.left_s())))
            is_only_slow = growth.too_slow and compared.decision is ComparisonDecision.SLOWER
            if growth.disagreement and not is_only_slow:
                compared = Compared(ComparisonDecision.DIFFERENT, growth.disagreement)
    if proof.receipt and compared.gain is not None and compared.decision in MEASURED:
        receipt = _receipt(
            bench, replace(settings, proof=replace(proof, min_effect=min_effect.value)), versions, compared, machine
        )
    return ComparisonResult(
        target=target,
        before_revision=old.revision,
        after_path=new.target.path,
        after_revision=new.revision,
        changed_files=changed,
        compared=compared,
        objective=search.objective,
        min_effect=min_effect,
        float_tolerance=inputs.float_tolerance,
        seed=search.seed,
        memory=memory,
        growth=growth,
        receipt=receipt,
        workload_origins=tuple(workload.origins()),
        skipped=(*versions.skipped, *workload.skipped),
        machine=machine,
        elapsed_s=time.monotonic() - started_s,
    )


def _of_one_function(before: Job, after: Job) -> tuple[Job, Job]:
    """The same jobs on the function that either of them names."""
    if before.function and after.function and before.function != after.function:
        raise UsageError(f"{before.function} and {after.function}: both versions must have the function by one name.")
    function = before.function or after.function
    return replace(before, function=function), replace(after, function=function)


def _target(versions: Versions, job: Job, settings: RunSettings, sandbox: Sandbox) -> Target:
    """The target of BEFORE: the function that was named, the one that differs, or the hottest.

    Raises:
        TargetError: AFTER has no such function.
        UsageError: several functions differ.
    """
    before, after = versions.before.target, versions.after.target
    if before.function is not None or job.inputs.cases is not None:
        return before
    function = changed_function(before, after)
    if function is None:
        limits = workload_limits(settings.search.max_seconds, settings.inputs.float_tolerance)
        function = hottest_function(sandbox, before, versions.environment, settings, limits)
    with_source(replace(before, function=function), after.source)
    return with_source(replace(before, function=function), before.source)


def _changed_files(versions: Versions) -> tuple[str, ...]:
    """The other files that differ."""
    before, after = versions.before, versions.after
    if before.project is None or after.project is None or versions.after_environment is None:
        return ()
    path = Path(before.target.path)
    old = {each.path: each.sha256 for each in project_files(before.project, versions.environment, path)}
    new = {each.path: each.sha256 for each in project_files(after.project, versions.after_environment, path)}
    return tuple(sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name)))


def _text_objections(versions: Versions, changed: Sequence[str]) -> TextObjections:
    """What the gate that reads texts says of the target's file and of the others that differ."""
    before, after = versions.before, versions.after
    texts = [(before.target.source, after.target.source)]
    if before.project is not None and after.project is not None:
        folders = before.project.folder, after.project.folder
        texts += [(_text(folders[0] / name), _text(folders[1] / name)) for name in changed if name.endswith(".py")]
    return TextObjections.between(texts, before.target.language)


def _text(place: Path) -> str:
    return place.read_text("utf-8", "replace") if place.is_file() and not place.is_symlink() else ""


def _memory(bench: Workbench, source: str) -> Memory | None:
    sampler = replace(bench.sampler(bench.timed_cases(Objective.MEMORY, held_out=False)), core=None)
    try:
        before = sampler.sample(bench.program(bench.target.source)).work
        return Memory(before, sampler.sample(bench.rewrite(source)).work)
    except SampleFailedError:
        return None  # the comparison has told what it found; this is a figure beside it


def _receipt(
    bench: Workbench, settings: RunSettings, versions: Versions, compared: Compared, machine: Machine
) -> Receipt | None:
    if compared.gain is None:
        return None
    project = versions.before.project
    files = () if project is None else project_files(project, bench.environment, Path(bench.target.path))
    return make_receipt(
        bench,
        settings,
        winner_source=versions.after.target.source,
        gain=compared.gain,
        held_out_gain=None,
        blocks=compared.blocks,
        project=files,
        machine=machine,
        decision=compared.decision,
    )
