"""Builds the workload of a target: finds calls, replays them on the original, and holds a part of them out.

Where calls come from, in this order. A file given with `--calls` is the user's word and stands alone, as do the
cases given with `--cases`. Otherwise the file's own `__main__` block, its doctests and the project's tests are all
asked. Where none of these has a usable call, a language model that takes part is asked for some. Inputs from type
hints join in only if all those gave fewer than two usable calls or nothing that takes a measurable time, for a real
call shows what the function is for and an invented one does not. Edge cases are always derived from what there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.requires import requirements_of
from afterburner.agent.errors import NoInputsError, ProposerError, WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent
from afterburner.agent.inputs.advice import calls_advice
from afterburner.agent.inputs.call_sources import Finding, Sources
from afterburner.agent.inputs.cases import case_workload, read_cases, whole_program
from afterburner.agent.inputs.choosing import choose_calls, choose_edge_cases, hold_out, more_calls
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.inputs.stated_assumptions import unmet_assumptions
from afterburner.agent.inputs.written_calls import LEAST_CALLS, written_origin
from afterburner.agent.stated_assumptions import ASSUMED
from afterburner.agent.types import Skipped, Workload
from afterburner.agent.wording import count
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness_answers import FoundCall
    from afterburner.agent.inputs.written_calls import CallWriter
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target, WorkloadCall, WrittenCalls
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.known_runs import KnownRuns
    from afterburner.sandbox.sandbox import Sandbox

MEASURABLE_S = 0.005  # real calls that together take less of the original's CPU time are joined by generated ones
ENOUGH_CALLS = 2
MAX_SKIPPED = 100
MAX_TRIED = 12
IN_DOCSTRING = "`Requires:` in the docstring"
REPLAY_SHARE = 0.25  # of the time budget, for calls that have to be made again one by one


def build_workload(  # noqa: PLR0917 - what a workload depends on, and who is told
    sandbox: Sandbox,
    target: Target,
    environment: PythonEnvironment,
    settings: RunSettings,
    limits: Limits,
    report: OnEvent,
    writer: CallWriter | None = None,
) -> Workload:
    """Find what the target is judged and measured on.

    Args:
        sandbox: where everything of the user's runs.
        target: a function, or (with `--cases`) a whole program.
        environment: the user's interpreter and staged project.
        settings: the options of the run; `calls_file`, `cases_dir`, `seed` and `float_tolerance` matter here.
        limits: for one look at a source of calls, and for one batch of calls.
        report: is told what is being done.
        writer: the language model that is asked for calls if nothing makes any; None: none is.

    Raises:
        WorkloadError: nothing usable was found, or the original fails.
        UsageError: a file or folder that the user named cannot be used, or what the user states holds in no real call.
        SandboxInternalError: the sandbox failed.
    """
    if settings.inputs.cases is not None and target.function is None:
        cases = read_cases(Path(settings.inputs.cases))
        report(ProgressEvent(kind=EventKind.RUNNING_CASES, count=len(cases)))
        program = whole_program(target, target.source, environment)
        return case_workload(target, cases, lambda tests: sandbox.run(program, tests, limits), settings.search.seed)
    if target.function is None:
        raise WorkloadError(
            f"{target.path}: a whole program can only be judged on stdin/stdout cases. Give --cases DIR with NAME.in "
            "and NAME.out, or name a function with --function."
        )
    required = requirements_of(target)
    assume = tuple(dict.fromkeys((*settings.inputs.assume, *required.expressions)))
    sources = Sources(Harness(sandbox, target, environment, limits), settings, report, assume)
    replay = Replay(sandbox, target, environment, limits, settings.search.seed, settings.inputs.float_tolerance)
    replay.alone_s = REPLAY_SHARE * settings.search.max_seconds
    in_words = [Skipped(IN_DOCSTRING, f"no expression over the parameters: {line}") for line in required.in_words]

    def find() -> Workload:
        return _Search(sources, replace(replay), report, writer, skipped=[*in_words]).found_workload()

    try:
        return find()
    except _OutOfDateError as error:
        error.known.renew()
        return find()


class _OutOfDateError(Exception):
    """What an earlier run kept of the original does not hold any more."""

    def __init__(self, known: KnownRuns) -> None:
        super().__init__()
        self.known = known


@dataclass(slots=True)
class _Search:
    """What has been found so far."""

    sources: Sources
    replay: Replay
    report: OnEvent
    writer: CallWriter | None = None
    calls: list[WorkloadCall] = field(default_factory=list)
    more: list[FoundCall] = field(default_factory=list)  # recorded ones, to compare on and not to time
    skipped: list[Skipped] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    written: WrittenCalls | None = None

    def found_workload(self) -> Workload:
        """The workload of what the sources give.

        Raises:
            _OutOfDateError: a call does not do what an earlier run has kept of it.
        """
        self.find()
        return replace(self.workload(self.sources.settings.search.seed), assume=self.sources.assume)

    def find(self) -> None:
        """Ask one source after the other."""
        self._use(self.sources.real())
        self._leave_out_unmet()
        if self.sources.may_generate and not self.calls and self.writer is not None:
            self._use_written(self.writer)
        if self.sources.may_generate and not self._is_enough():
            self._use([self.sources.generated()])
        if self.calls:
            self._use_edge_cases(self.sources.derived(self.calls))

    def _leave_out_unmet(self) -> None:
        """Make no inputs by what holds in none of the real calls: they would be inputs of another function.

        What holds in some of them is told.

        Raises:
            UsageError: the user states it.
        """
        sources, real = self.sources, count(len(self.calls), "real call")
        not_in_all = unmet_assumptions(sources.harness, sources.assume, self.calls)
        for each in not_in_all:
            if each.held:
                reason = f"`{each.expression}` holds in {each.held} of the {real}: inputs are made from no others"
                self.skipped.append(Skipped("stated of every input", reason))
        unmet = [each for each in not_in_all if not each.held]
        for each in unmet:
            if each.expression in sources.settings.inputs.assume:
                raise UsageError(
                    f'{ASSUMED}{each.expression}" holds in none of the {real}: {each.why}. State what they keep to, '
                    "or leave it out."
                )
            reason = f"`{each.expression}` holds in none of the {real}, so it is no rule for made inputs: {each.why}"
            self.skipped.append(Skipped(IN_DOCSTRING, reason))
        left_out = {each.expression for each in unmet}
        self.sources = replace(sources, assume=tuple(each for each in sources.assume if each not in left_out))

    def workload(self, seed: int) -> Workload:
        """Split what is there, and make sure that the original passes on each part as the judge runs it."""
        in_order = [replace(call, position=position) for position, call in enumerate(self.calls)]
        (chosen, held_out), unstable = self.replay.confirm(hold_out(in_order, seed))
        known = self.replay.sandbox.known
        if unstable and known is not None and known.recalled:
            raise _OutOfDateError(known)
        self.skipped += unstable
        if not chosen:
            chosen, held_out = held_out, []
        if not chosen:
            raise self._nothing_found()
        compared_on = self._compared_on()
        return Workload(
            calls=tuple(chosen),
            held_out_calls=tuple(held_out),
            skipped=tuple(dict.fromkeys(self.skipped))[:MAX_SKIPPED],
            float_tolerance=self.replay.float_tolerance,
            fixed_clock=bool(self.replay.fixed_clock),
            written=self.written,
            more_calls=compared_on,
        )

    def _compared_on(self) -> tuple[WorkloadCall, ...]:
        """The recorded calls that are not timed, as far as the original does the same each time."""
        kept, skipped = self.replay.keep_usable(self.more) if self.more else ([], [])
        self.skipped += skipped
        return tuple(kept)

    def _is_enough(self) -> bool:
        return len(self.calls) >= ENOUGH_CALLS and sum(call.cpu_time_s for call in self.calls) >= MEASURABLE_S

    def _use(self, findings: Sequence[Finding]) -> None:
        """Replay what the sources gave, and keep what can be used."""
        for finding in findings:
            self.skipped += finding.skipped
            self.tried += finding.tried
        found = [call for finding in findings for call in finding.calls]
        chosen = choose_calls(found)
        self.more += more_calls(found, chosen)
        self._replay(chosen)

    def _use_written(self, writer: CallWriter) -> None:
        """Keep the calls that a language model writes, if enough of them can be used."""
        try:
            written = writer.write(self.sources.harness.target)
        except ProposerError as error:
            self._leave_out(written_origin(writer.name), str(error))
            return
        self._use([self.sources.written(written)])
        if len(self.calls) >= LEAST_CALLS:
            self.written = written
            event = ProgressEvent(kind=EventKind.CALLS_WRITTEN, subject=written.model, count=len(self.calls))
            self.report(event)
            return
        reason = f"{count(len(self.calls), 'call')} can be used, and it takes at least {LEAST_CALLS}"
        self._leave_out(written_origin(written.model), reason)
        self.calls, self.replay.fixed_clock = [], None

    def _leave_out(self, origin: str, reason: str) -> None:
        self.skipped.append(Skipped(origin, reason))
        self.tried.append(f"{origin}: {reason}")

    def _use_edge_cases(self, finding: Finding) -> None:
        self.skipped += finding.skipped
        known = {call.blob for call in self.calls}
        found = [call for call in finding.calls if call.blob not in known]
        chosen = choose_edge_cases(found, max(call.cpu_time_s for call in self.calls))
        if len(chosen) < len(found):
            reason = f"{len(found) - len(chosen)} of {len(found)} edge cases are left out: too large or too slow"
            self.skipped.append(Skipped(finding.name, reason))
        broken = {each.number for each in self.sources.broken_assumptions(self.calls, chosen)}
        # What no real call is like tells nothing for sure of a rewrite: the search for a difference makes it again.
        self._replay([call for number, call in enumerate(chosen) if number not in broken])

    def _replay(self, chosen: Sequence[FoundCall]) -> None:
        if not chosen:
            return
        self.report(ProgressEvent(kind=EventKind.REPLAYING_CALLS, count=len(chosen)))
        kept, skipped = self.replay.keep_usable(chosen)
        self.calls += kept
        self.skipped += skipped
        self.tried += [f"{each.origin}: {each.reason}" for each in skipped]

    def _nothing_found(self) -> NoInputsError:
        target = self.sources.harness.target
        lines = "".join(f"\n  - {line}" for line in list(dict.fromkeys(self.tried))[:MAX_TRIED])
        return NoInputsError(
            f"{target.path}: no usable calls of {target.function} were found. Tried:{lines}\n"
            + calls_advice(target, self.sources.settings)
        )
