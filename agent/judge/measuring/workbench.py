"""Everything a run works with that is not state: the sandbox, the workload, and how programs are made of sources."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.cases import whole_program
from afterburner.agent.inputs.line_profile import LineProfile, profile_lines
from afterburner.agent.inputs.passes import passes_needed
from afterburner.agent.inputs.replayed_calls import HASH_SEEDS
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.judge.measuring.known_sizes import KnownSizes
from afterburner.agent.judge.measuring.sample_sources import DuelSource, FreshSource, Sampler
from afterburner.agent.judge.measuring.timing_core import timed_on
from afterburner.agent.types import Objective
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, TestCase
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.verdicts import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.job.problem import Problem
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.sampling import BlockSource
    from afterburner.agent.judge.measuring.timing_core import TimingCore
    from afterburner.agent.types import Target, Workload, WorkloadCall, WorkloadCase
    from afterburner.sandbox import PythonEnvironment, Report
    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.sandbox import Sandbox

Input = TypeVar("Input", "WorkloadCall", "WorkloadCase")

SAMPLE_TIME_S = 0.1  # of the inputs of a fresh process, which takes as long to start
FORK_TIME_S = 0.025  # of a fork's: the more samples, the steadier the smallest of them
DEAREST_S = 0.5
NEXT_TO_NOTHING = 0.05  # of the costliest input's time, for all others
JUDGED_AGAIN_S = 0.05  # of the calls that a candidate makes under another hash seed
MEASURABLE_CALL_S = 0.02
MEASURABLE_PROGRAM_S = 0.2  # starting Python takes a good part of a tenth of a second
TOLERANT_OUTPUT_BYTES = 64 * 1024 * 1024  # outcomes whose floats are compared one by one cannot be folded
SLOWDOWN_TOLERATED = 4
GRACE_S = 2.0
LONGEST_WORKLOAD_S = 30.0  # for one look at a source of inputs, and for the original on all of them
SHORTEST_WORKLOAD_S = 5.0
WORKLOAD_SHARE = 0.25  # of the time budget
_BY_LINES = Lines()


@dataclass(frozen=True, slots=True)
class Workbench:
    """Makes programs, cases and samplers for one target."""

    target: Target
    workload: Workload
    sandbox: Sandbox
    environment: PythonEnvironment
    limits: Limits
    core: TimingCore | None  # None: nothing is timed
    other_environment: PythonEnvironment | None = None  # of rewrites, where they have a tree of their own
    problem: Problem | None = None  # that the target solves, where it is no file of a project
    writes_tests: bool = False  # whether a counterexample comes with a test for pytest
    command: tuple[str, ...] = ()  # what the user runs behind `python`, which reaches the target
    command_folder: str = ""  # where that starts
    known: KnownSizes = field(default_factory=KnownSizes, compare=False, repr=False)

    @property
    def by_cases(self) -> bool:
        """Whether the whole program is judged by stdin/stdout cases."""
        return bool(self.workload.cases)

    @property
    def checker(self) -> Checker:
        """What counts as the expected output of a case."""
        return self.problem.checker if self.problem is not None else _BY_LINES

    def cpus_beside(self) -> frozenset[int]:
        """Where work can go on while something is timed; none where it could not be kept off the timed core."""
        if self.core is None or not self.sandbox.follows_caller:
            return frozenset()
        return self.core.cores.beside()

    def program(self, source: str) -> Program:
        """The program that `source`, the text of the target's whole file, makes in the original's place."""
        return self._program(source, self.environment)

    def run(self, source: str, cases: Sequence[Case]) -> Report:
        """What becomes of a text in the original's place; nothing is timed."""
        return self.run_program(self.program(source), cases, self.limits)

    def run_original(self) -> Report:
        """What becomes of the original on all cases that it is judged on; processes full of calls run side by side."""
        cases = (*self.judged_cases(), *self.confirmed_cases())
        if self.by_cases:
            return self.run(self.target.source, cases)
        reports = side_by_side(self.sandbox, [partial(self.run, self.target.source, [case]) for case in cases])
        return summarise([case for report in reports for case in report.cases], reports[0].backend)

    def run_program(self, program: Program, cases: Sequence[Case], limits: Limits, *, cpu: int | None = None) -> Report:
        """What becomes of a program, judged as the workload is; it is timed only where it has a core for itself."""
        return self.sandbox.run(program, cases, limits, checker=self.checker, cpu=cpu)

    def run_alone(self, source: str) -> Report:
        """What becomes of a text on all inputs, with a core for itself: a single measurement.

        After the first input on which it runs out of time, the others are left out: they change neither the verdict
        nor what a failing program measures, which are the limits, and each may take as long again.
        """
        cases = (*self.judged_cases(), *self.confirmed_cases()) if self.problem is None else self.problem.test_cases
        with timed_on(self.core, self.sandbox) as cpu:
            return self.sandbox.run(
                self.program(source), cases, self.limits, checker=self.checker, cpu=cpu, stop_at_time_limit=True
            )

    def rewrite(self, source: str) -> Program:
        """The program that the text of a rewrite makes: in its own tree, if it has one."""
        return self._program(source, self.other_environment or self.environment)

    def _program(self, source: str, environment: PythonEnvironment) -> Program:
        if self.problem is not None:
            return replace(self.problem.program(source), environment=environment)
        if self.by_cases:
            return whole_program(self.target, source, environment)
        if self.target.function is None:
            msg = "a target without a function is judged by stdin/stdout cases"
            raise ValueError(msg)
        entry = FunctionEntry(self.target.module, self.target.path, self.target.function)
        return Program("python", source, entry=entry, environment=environment)

    def judged_cases(self) -> tuple[Case, ...]:
        """The cases that tell, during selection, whether a program is right; only cheap calls under more than one seed.

        A winner makes every call under every hash seed, see `confirmed_cases`.
        """
        if self.by_cases:
            return _test_cases(self.workload.cases)
        first, second = HASH_SEEDS[:2]
        cheap = affordable(self.workload.calls, 0.0, JUDGED_AGAIN_S)
        return self.call_case(self.workload.calls, hash_seed=first), self.call_case(cheap, hash_seed=second)

    def confirmed_cases(self) -> tuple[Case, ...]:
        """The cases that tell whether a winner is right: the held-out inputs too.

        First what `judged_cases` left out; then all calls in one process and in the order in which they were found, so
        that a rewrite which carries state from one call to the next (a cache, say) meets the calls that the state is
        wrong for.
        """
        if self.by_cases:
            return _test_cases(self.workload.held_out_cases)
        first, *others = HASH_SEEDS
        held_out = self.workload.held_out_calls
        calls = sorted((*self.workload.calls, *held_out), key=lambda call: call.position)
        new = (self.call_case(held_out, hash_seed=first),) if held_out else ()
        return (*new, *(self.call_case(calls, hash_seed=seed) for seed in others))

    def call_case(self, calls: Sequence[WorkloadCall], *, hash_seed: int) -> CallCase:
        """One process that makes these calls, judged as the workload says."""
        return CallCase(
            calls=tuple(call.blob for call in calls),
            expected_outcomes=tuple(call.expected for call in calls),
            hash_seed=hash_seed,
            float_tolerance=self.workload.float_tolerance,
            fixed_clock=self.workload.fixed_clock,
        )

    def timed_cases(self, objective: Objective, *, held_out: bool) -> tuple[Case, ...]:
        """The cases that fresh processes are sampled on.

        For memory, calls are repeated until the original takes a time in which memory can be sampled.
        """
        if self.by_cases:
            cases = self.workload.held_out_cases if held_out else self.workload.cases
            return _test_cases(affordable(cases, MEASURABLE_PROGRAM_S, SAMPLE_TIME_S))
        calls = self._timed_calls(SAMPLE_TIME_S, held_out=held_out)
        if not calls:
            return ()
        passes = 1 if objective is Objective.TIME else passes_needed(calls)
        return (replace(self.call_case(calls, hash_seed=0), passes=passes, cold_caches=True),)

    def measured_cases(self, objective: Objective) -> tuple[Case, ...]:
        """What `block_source` measures, held-out inputs included, as cases to be run once more."""
        if self._in_processes_of_their_own(objective):
            parts = (self.timed_cases(objective, held_out=part) for part in (False, True))
            return tuple(case for part in parts for case in part)
        return (self.call_case(self.timed_calls(), hash_seed=0),)

    def _in_processes_of_their_own(self, objective: Objective) -> bool:
        """Whether each sample is taken in a process of its own, and not in a fork of a template."""
        return self.by_cases or objective is not Objective.TIME or self.other_environment is not None

    def block_source(
        self, original: str, rewrites: Sequence[str], objective: Objective, *, held_out: bool
    ) -> tuple[BlockSource, int]:
        """Where blocks of samples of an original and of rewrites come from, and the index of the first held-out input.

        Args:
            original: text of the whole file.
            rewrites: likewise.
            objective: what is measured; time is measured in forks of a template, memory in processes of their own.
                So is time where rewrites have a tree of their own: forks of one template share its files.
            held_out: whether the held-out inputs come along.
        """
        if self._in_processes_of_their_own(objective):
            parts = (False, True) if held_out else (False,)
            cases = [self.timed_cases(objective, held_out=part) for part in parts]
            sampler = self.sampler([case for part in cases for case in part])
            return FreshSource(sampler, self.program(original), tuple(map(self.rewrite, rewrites))), len(cases[0])
        calls = self.timed_calls() if held_out else self._timed_calls(FORK_TIME_S, held_out=False)
        return self.source_of_calls(original, rewrites, calls), len(self._timed_calls(FORK_TIME_S, held_out=False))

    def timed_calls(self) -> list[WorkloadCall]:
        """The calls that a sample of time is taken on, held-out ones included."""
        return [call for part in (False, True) for call in self._timed_calls(FORK_TIME_S, held_out=part)]

    def source_of_calls(self, original: str, rewrites: Sequence[str], calls: Sequence[WorkloadCall]) -> BlockSource:
        """Where blocks of samples come from, each of which makes all these calls once."""
        return self.source_of_case(original, rewrites, self.call_case(calls, hash_seed=0))

    def source_of_case(self, original: str, rewrites: Sequence[str], case: CallCase) -> BlockSource:
        """The same for the calls of a case."""
        if self.other_environment is not None:
            case = replace(case, cold_caches=True)
            return FreshSource(self.sampler([case]), self.program(original), tuple(map(self.rewrite, rewrites)))
        return DuelSource(
            self.sandbox,
            self.program(original),
            tuple(map(self.rewrite, rewrites)),
            case,
            self.limits,
            self.core,
        )

    def _timed_calls(self, sample_s: float, *, held_out: bool) -> list[WorkloadCall]:
        calls = self.workload.held_out_calls if held_out else self.workload.calls
        return affordable(calls, MEASURABLE_CALL_S, sample_s, NEXT_TO_NOTHING)

    def sampler(self, cases: Sequence[Case]) -> Sampler:
        """A sampler on these cases, with the timed process alone on its CPU."""
        return Sampler(self.sandbox, tuple(cases), self.limits, self.core, self.checker)

    def line_profile(self, source: str, of: str, most_s: float) -> LineProfile:
        """Where `source`, the text of the file of the incumbent `of`, spends its time; it takes at most `most_s`."""
        if self.problem is not None:
            return LineProfile(of, note="a problem's program is not profiled")
        target = with_source(self.target, source)
        return profile_lines(self.sandbox, target, self.environment, self.workload, self.limits, of=of, most_s=most_s)

    def with_time_for(self, calls: Sequence[WorkloadCall]) -> Workbench:
        """The same bench with time for these calls beside what the limits allow: they may be none of the workload's."""
        more_s = SLOWDOWN_TOLERATED * sum(call.cpu_time_s for call in calls)
        wall_s, cpu_s = self.limits.wall_time_s + more_s, self.limits.cpu_time_s + more_s
        return replace(self, limits=replace(self.limits, wall_time_s=wall_s, cpu_time_s=cpu_s))

    def limited_by(self, wall_time_s: float) -> Workbench:
        """The same bench with limits that follow from what the original needed for its slowest case."""
        allowed_s = SLOWDOWN_TOLERATED * wall_time_s + GRACE_S
        return replace(self, limits=replace(self.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s))


def workload_limits(budget_s: float, float_tolerance: float | None) -> Limits:
    """What a time budget allows for one look at a source of inputs, and for the original on all of them."""
    allowed_s = min(max(WORKLOAD_SHARE * budget_s, SHORTEST_WORKLOAD_S), LONGEST_WORKLOAD_S)
    return look_limits(allowed_s, float_tolerance)


def look_limits(allowed_s: float, float_tolerance: float | None) -> Limits:
    """The limits of one look that may take so long."""
    limits = Limits(wall_time_s=allowed_s, cpu_time_s=allowed_s)
    return limits if float_tolerance is None else replace(limits, output_bytes=TOLERANT_OUTPUT_BYTES)


def affordable(
    inputs: Sequence[Input], measurable_s: float, sample_s: float, next_to_nothing: float = 0.0
) -> list[Input]:
    """The inputs that a sample is taken on.

    A decision takes some forty samples, so what a sample costs is what the user waits for; the judge looks at every
    input all the same. It is the costliest input that takes no more than `DEAREST_S` of CPU time, and the costliest of
    the others that fit into `sample_s` with it, or that add next to nothing to it: they show what small inputs gain.
    Where only dearer inputs can be measured, the cheapest of these.

    Args:
        inputs: with what each took of the original's CPU time.
        measurable_s: an input below this tells more of the process around it than of the target.
        sample_s: what all of them together may take, unless one alone takes about as long, or longer.
        next_to_nothing: what share of the costliest input's time the others may always take together.
    """
    by_cost = sorted(range(len(inputs)), key=lambda index: inputs[index].cpu_time_s, reverse=True)
    dearer = [index for index in by_cost if inputs[index].cpu_time_s > DEAREST_S]
    chosen = by_cost[len(dearer) : len(dearer) + 1]
    if dearer and (not chosen or inputs[chosen[0]].cpu_time_s < measurable_s):
        chosen = dearer[-1:]
    total_s = sum(inputs[index].cpu_time_s for index in chosen)
    most_s = max(sample_s, total_s * (1 + next_to_nothing))
    for index in by_cost:
        if index not in chosen and total_s + inputs[index].cpu_time_s <= most_s:
            chosen.append(index)
            total_s += inputs[index].cpu_time_s
    return [inputs[index] for index in sorted(chosen)]


def _test_cases(cases: Sequence[WorkloadCase]) -> tuple[TestCase, ...]:
    return tuple(TestCase(case.stdin, case.expected_stdout, case.name) for case in cases)
