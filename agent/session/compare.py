"""One comparison of two versions from end to end: staged, judged, measured, with its evidence."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import with_source
from afterburner.agent.code.patch import unified_diff
from afterburner.agent.code.same_work import is_same_code
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import TargetError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, in_stage, waiting_for_core
from afterburner.agent.evidence.gather import GROWTH_S
from afterburner.agent.evidence.growth import SLOWER, measure_growth
from afterburner.agent.evidence.project_files import project_files
from afterburner.agent.evidence.receipt import make_receipt
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.hottest import hottest_functions
from afterburner.agent.inputs.versions import changed_function, read_version, stage_versions
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench, workload_limits
from afterburner.agent.judge.min_effect import MinEffect, min_effect_for
from afterburner.agent.judge.text_objections import TextObjections, texts_to_hold_against
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import (
    MEASURED,
    ComparisonDecision,
    VersionFindings,
    VersionJudge,
)
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.receipt import Receipt
    from afterburner.agent.inputs.versions import Versions
    from afterburner.agent.job.job import Job
    from afterburner.agent.options import Proof, Search
    from afterburner.agent.stage_times import StageTime
    from afterburner.agent.types import Machine, Skipped, Target
    from afterburner.sandbox import Limits, Measurement
    from afterburner.sandbox.cores import Cores
    from afterburner.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Memory:
    """Peak and integral of each version's calls in a process of its own; one sample: a figure, no proof."""

    before: Measurement
    after: Measurement


EQUAL = "both versions are the same text, so nothing was run"
SAME_CODE = "only comments or the layout of the code differ, so nothing was run"


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What came of a comparison, and what it rests on."""

    target: Target  # of BEFORE
    before_revision: str  # the commit; empty: what is on the disk
    after_path: str
    after_revision: str
    patch: str  # from BEFORE's file to AFTER's, as a unified diff
    changed_files: tuple[str, ...]  # other files of the project that differ
    compared: VersionFindings
    objective: Objective
    min_effect: MinEffect
    float_tolerance: float | None
    seed: int
    memory: Memory | None
    growth: Growth | None
    receipt: Receipt | None
    workload_origins: tuple[str, ...]
    assume: tuple[str, ...]  # what is stated of every input
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float
    real_calls_alone: bool = False  # whether no difference was looked for beyond the calls of the workload
    stages: tuple[StageTime, ...] = ()  # how long it was at each step

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
    cores: Cores,
    allow: Callable[[Target], None] = lambda _: None,
) -> ComparisonResult:
    """Compare two versions of a function or a program; see `Session.compare`.

    Raises:
        UsageError: a file, function or revision is not there, or the options exclude each other.
        WorkloadError: there are no inputs, BEFORE does not do the same each time, or a file of AFTER does not compile.
        SandboxInternalError: the sandbox failed.
    """
    started_s = time.monotonic()
    report = in_stage(on_event, Stage.COMPARE)
    before, after = _of_one_function(before, after)
    report(ProgressEvent(kind=EventKind.STAGING_VERSIONS))
    versions = _staged(before, after, sandbox, allow, report)
    if _is_same_code(versions):
        return _of_same_code(versions, before, search, proof, sandbox=sandbox, started_s=started_s)
    deadline = Deadline.after(search.max_seconds)  # which does not count the making of an image
    settings = RunSettings(before.path, before.function, before.inputs, search, proof, batch=before.batch)
    core = TimingCore(waiting_for_core(on_event), cores, deadline.clock)
    prepared = _prepare(versions, settings, sandbox, core, deadline, on_event)
    bench, comparing = prepared.comparing.bench, prepared.comparing
    compared = comparing.compare(versions.after.target.source)
    memory, growth = _evidence(prepared, compared, report)
    if growth is not None and not proof.real_calls_alone:
        compared = in_light_of_growth(compared, growth, comparing.texts)
    return ComparisonResult(
        target=bench.target,
        before_revision=versions.before.revision,
        after_path=versions.after.target.path,
        after_revision=versions.after.revision,
        patch=unified_diff(bench.target, versions.after.target.source),
        changed_files=prepared.changed_files,
        compared=compared,
        objective=search.objective,
        min_effect=prepared.min_effect,
        float_tolerance=before.inputs.float_tolerance,
        seed=search.seed,
        memory=memory,
        growth=growth,
        receipt=_receipt(prepared, compared) if proof.receipt else None,
        workload_origins=tuple(bench.workload.origins()),
        assume=bench.workload.assume,
        skipped=(*versions.skipped, *bench.workload.skipped),
        machine=prepared.machine,
        elapsed_s=time.monotonic() - started_s,
        real_calls_alone=proof.real_calls_alone,
    )


def _is_same_code(versions: Versions) -> bool:
    """Whether the texts alone say that both do the same: that of the file, and those of all other files."""
    before, after = versions.before.target, versions.after.target
    return is_same_code(before.source, after.source, before.language) and not _changed_files(versions)


def _of_same_code(
    versions: Versions, before: Job, search: Search, proof: Proof, *, sandbox: Sandbox, started_s: float
) -> ComparisonResult:
    """The answer that needs no run."""
    target, source = versions.before.target, versions.after.target.source
    machine = describe_machine(sandbox, versions.environment, target.language)
    return ComparisonResult(
        target=target,
        before_revision=versions.before.revision,
        after_path=versions.after.target.path,
        after_revision=versions.after.revision,
        patch=unified_diff(target, source),
        changed_files=(),
        compared=VersionFindings(ComparisonDecision.SAME, EQUAL if target.source == source else SAME_CODE),
        objective=search.objective,
        min_effect=min_effect_for(proof.min_effect, machine),
        float_tolerance=before.inputs.float_tolerance,
        seed=search.seed,
        memory=None,
        growth=None,
        receipt=None,
        workload_origins=(),
        assume=(),
        skipped=versions.skipped,
        machine=machine,
        elapsed_s=time.monotonic() - started_s,
        real_calls_alone=proof.real_calls_alone,
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What a comparison needs to know before it begins."""

    versions: Versions
    changed_files: tuple[str, ...]
    settings: RunSettings
    min_effect: MinEffect
    machine: Machine
    comparing: VersionJudge


def _staged(before: Job, after: Job, sandbox: Sandbox, allow: Callable[[Target], None], on_event: OnEvent) -> Versions:
    """Both versions with copies of their trees, which are allowed to run."""
    old = read_version(before, sandbox)
    new = read_version(replace(after, inputs=before.inputs), sandbox, or_bound=True)
    if old.target.language != new.target.language:
        raise UsageError(f"{old.target.language} and {new.target.language}: both versions must be in one language.")
    for target in (old.target, new.target):
        allow(target)
    return stage_versions(old, new, sandbox, before.inputs, on_event)


def _prepare(  # noqa: PLR0917 - what a comparison depends on, and who is told
    versions: Versions,
    settings: RunSettings,
    sandbox: Sandbox,
    core: TimingCore,
    deadline: Deadline,
    on_event: OnEvent,
) -> _Prepared:
    """Find the function, its inputs, and what the comparison is held to."""
    search, proof = settings.search, settings.proof
    changed = _changed_files(versions)
    if proof.receipt and changed:
        raise UsageError(
            f"--receipt: {changed[0]} differs, too, and a receipt holds two versions of one file. Compare without it."
        )
    limits = workload_limits(search.max_seconds, settings.inputs.float_tolerance)
    target = _target(versions, settings, sandbox, limits)
    machine = describe_machine(sandbox, versions.environment, target.language)
    min_effect = min_effect_for(proof.min_effect, machine)
    settings = replace(settings, proof=replace(proof, min_effect=min_effect.value))
    report = in_stage(on_event, Stage.COMPARE)
    workload = build_workload(sandbox, target, versions.environment, settings, limits, report)
    own_tree = versions.after_environment if changed else None
    environment = versions.environment
    bench = Workbench(target, workload, sandbox, environment, limits, core, own_tree, writes_tests=proof.counterexample)
    judge = TwoSidedJudge(search.objective, min_effect.value, search.seed)
    texts = _text_objections(versions, changed)
    if proof.real_calls_alone:
        texts = replace(texts, before="")  # a slow-down counts, whatever the code that AFTER takes the place of does
    comparing = VersionJudge(bench, judge, deadline, on_event, texts, real_calls_alone=proof.real_calls_alone)
    return _Prepared(versions, changed, settings, min_effect, machine, comparing)


def _evidence(prepared: _Prepared, compared: VersionFindings, report: OnEvent) -> tuple[Memory | None, Growth | None]:
    """Memory and growth of versions that do the same; None where they are not measured."""
    if compared.agreement is None:
        return None, None
    if prepared.settings.proof.real_calls_alone and not _has_growth_to_show(compared):
        return None, None
    bench, deadline = prepared.comparing.bench, prepared.comparing.deadline
    source, settings = prepared.versions.after.target.source, prepared.settings
    memory = _memory(bench, source)
    if not settings.proof.growth or settings.search.objective is not Objective.TIME or deadline.passed():
        return memory, None
    report(ProgressEvent(kind=EventKind.MEASURING_GROWTH))
    return memory, measure_growth(bench, source, Deadline.after(min(GROWTH_S, deadline.left_s())))


def _has_growth_to_show(compared: VersionFindings) -> bool:
    """Whether AFTER is slower, and not by so much that larger inputs would only reach the time limit."""
    return (
        compared.decision is ComparisonDecision.SLOWER
        and compared.gain is not None
        and (compared.gain.ratio * SLOWER > 1)
    )


def in_light_of_growth(compared: VersionFindings, growth: Growth, texts: TextObjections) -> VersionFindings:
    """What inputs of other sizes make of a comparison: AFTER may do something else there, or reach the time limit."""
    if not growth.disagreement:
        return compared
    if not growth.too_slow:
        is_right = growth.condition and compared.decision in {ComparisonDecision.FASTER, ComparisonDecision.SAME}
        decision = ComparisonDecision.CONDITIONAL if is_right else ComparisonDecision.DIFFERENT
        return VersionFindings(decision, growth.disagreement, counterexample=growth.example)
    sizes = f"for {growth.scaled} up to {growth.points[-1].size}" if growth.points else "on larger inputs"
    reason = f"{sizes}, AFTER reached its time limit, above {SLOWER} times what BEFORE needs"
    if compared.decision in {ComparisonDecision.FASTER, ComparisonDecision.CONDITIONAL}:
        return replace(compared, decision=ComparisonDecision.TOO_NOISY, reason=reason, objection=reason)
    if compared.decision is ComparisonDecision.SLOWER or compared.objection:
        return compared
    if texts.before:
        return replace(compared, decision=ComparisonDecision.TOO_NOISY, reason=texts.before, objection=texts.before)
    return replace(compared, decision=ComparisonDecision.SLOWER, reason=reason, gain=None)


def _of_one_function(before: Job, after: Job) -> tuple[Job, Job]:
    """The same jobs on the function that either of them names."""
    if before.function and after.function and before.function != after.function:
        raise UsageError(f"{before.function} and {after.function}: both versions must have the function by one name.")
    function = before.function or after.function
    return replace(before, function=function), replace(after, function=function)


def _target(versions: Versions, settings: RunSettings, sandbox: Sandbox, limits: Limits) -> Target:
    """The target of BEFORE: the function that was named, the one that differs, or the hottest.

    Raises:
        TargetError: AFTER has no such function.
        UsageError: several functions differ.
    """
    before, after = versions.before.target, versions.after.target
    if before.function is not None or settings.inputs.cases is not None:
        return before
    function = changed_function(before, after)
    if function is None:
        function = hottest_functions(sandbox, before, versions.environment, settings, limits)[0]
    try:
        with_source(replace(after, function=function), after.source, or_bound=True)
    except TargetError as error:
        raise TargetError(f"{function} is to be compared, and AFTER lacks it: {error}") from error
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
        names = [name for name in changed if name.endswith(".py")]
        old, new = ({name: _text(each.folder / name) for name in names} for each in (before.project, after.project))
        texts += texts_to_hold_against(old, new)
    return TextObjections.between(texts, before.target.language)


def _text(place: Path) -> str | None:
    """None: there is no such file."""
    return place.read_text("utf-8", "replace") if place.is_file() and not place.is_symlink() else None


def _memory(bench: Workbench, source: str) -> Memory | None:
    sampler = replace(bench.sampler(bench.timed_cases(Objective.MEMORY, held_out=False)), core=None)
    try:
        before = sampler.sample(bench.program(bench.target.source)).work
        return Memory(before, sampler.sample(bench.rewrite(source)).work)
    except SampleFailedError:
        return None  # the comparison has told what it found; this is a figure beside it


def _receipt(prepared: _Prepared, compared: VersionFindings) -> Receipt | None:
    gain = compared.tested_gain
    if gain is None or compared.decision not in MEASURED or not compared.can_be_replayed:
        return None
    versions, bench = prepared.versions, prepared.comparing.bench
    project = versions.before.project
    files = () if project is None else project_files(project, bench.environment, Path(bench.target.path))
    return make_receipt(
        bench,
        prepared.settings,
        winner_source=versions.after.target.source,
        gain=gain,
        held_out_gain=None,
        blocks=compared.all_blocks or compared.blocks,
        project=files,
        machine=prepared.machine,
        decision=compared.decision,
    )
