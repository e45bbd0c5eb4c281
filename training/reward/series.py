"""Measures the codes of one problem: in turns beside its originals, which are run in each part of the series."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from afterburner.evals.problems import code_id
from afterburner.evals.running.measure import first_failure, measure_codes, over_repeats
from afterburner.sandbox import AfterburnerError, CancelledError, Verdict
from afterburner.sandbox.errors import SandboxUnavailableError, ToolchainMissingError, UsageError
from afterburner.training.reward.samples import HIDDEN_TESTS
from afterburner.training.reward.settings import Counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from afterburner.agent import Problem
    from afterburner.agent.types import Objective
    from afterburner.evals.problems import Figures
    from afterburner.evals.running.measure import Measured
    from afterburner.sandbox import CancelToken, Sandbox
    from afterburner.sandbox.cores import Slots
    from afterburner.training.reward.baselines import Baselines
    from afterburner.training.reward.settings import RewardSettings

_CHOOSE: Mapping[Counted, Callable[[Sequence[float]], float]] = {Counted.MEDIAN: median, Counted.MINIMUM: min}
# Errors that would hit every code alike; dropping samples would hide them.
_OF_ALL = (CancelledError, SandboxUnavailableError, ToolchainMissingError, UsageError)
_FILE_KIB = 1024  # what is written to files is no resident memory, so that they would be a way around its figures


@dataclass(frozen=True, slots=True)
class Series:
    """What was measured of one problem in one batch.

    Attributes:
        figures: of codes that pass, by their ids.
        verdicts: of all codes that were run.
        drift: how the machine's figures compare to those when the originals were first seen.
        lost: codes of which the sandbox failed to say anything, and why.
        failed: why nothing could be measured; empty: it could.
        runs: programs that were run, each with one test case.
    """

    figures: Mapping[str, Figures] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)
    drift: Mapping[Objective, float] = field(default_factory=dict)
    lost: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""
    runs: int = 0


@dataclass(slots=True)
class SeriesRunner:
    """Runs the series of one problem."""

    sandbox: Sandbox
    slots: Slots
    cancel: CancelToken
    settings: RewardSettings
    baselines: Baselines
    problem_id: str
    problem: Problem
    hidden: Problem | None  # the same problem with tests that a code has to pass as well
    seed: int
    runs: int = 0

    def __post_init__(self) -> None:
        """Leave programs next to nothing to write to."""
        limits = replace(self.problem.limits, file_kib=min(self.problem.limits.file_kib, _FILE_KIB))
        self.problem = replace(self.problem, limits=limits)

    def run(self, originals: Sequence[str], codes: Sequence[str]) -> Series:
        """Measure new originals, and then all codes, with the originals among each part of them.

        Raises:
            CancelledError: it was cancelled.
            UsageError: the sandbox refuses what is asked of it.
            SandboxUnavailableError: there is none, or it cannot run the language.
        """
        try:
            for code in self.baselines.missing(self.problem_id, originals):
                self.baselines.keep(self.problem_id, code, self._baseline(code))
            anchors = [code for code in originals if self.baselines.of(self.problem_id, code) is not None]
            measured, lost = self._measure(anchors, codes)
        except _OF_ALL:
            raise
        except AfterburnerError as error:
            return Series(failed=str(error), runs=self.runs)
        found = figures_of_passing(measured, self.settings.counted)
        missing = [code for code in anchors if code_id(code) not in found]
        if codes and missing:
            return Series(
                failed=f"{len(missing)} of {len(anchors)} originals fail now, and passed before",
                runs=self.runs,
            )
        verdicts = _verdicts(measured)
        lost |= {code: why for code, why in _internal(measured).items() if code not in lost}
        for code in [code for code in codes if code_id(code) in found and code not in anchors]:
            if self._fails_hidden(code, lost):
                verdicts[code_id(code)] = HIDDEN_TESTS
                del found[code_id(code)]
        return Series(found, verdicts, self.baselines.drift(self.problem_id, anchors, found), lost, runs=self.runs)

    def _baseline(self, code: str) -> Figures | None:
        """The figures of an original; None: it fails in two series."""
        for attempt in range(2):
            measured = self._turns([code], self.settings.baseline_repeats, self.seed + attempt)
            found = figures_of_passing(measured, self.settings.counted)
            if found:
                return found[code_id(code)]
        return None

    def _measure(self, anchors: Sequence[str], codes: Sequence[str]) -> tuple[list[Measured], dict[str, str]]:
        """Measure the codes in as many parts as anchors are to be run, each part with all anchors."""
        measured: list[Measured] = []
        lost: dict[str, str] = {}
        others = [code for code in codes if code not in anchors]
        parts = self.settings.anchor_repeats if codes else 0
        for part in range(parts):
            chunk = others[part::parts]
            try:
                measured += self._turns([*anchors, *chunk], self.settings.repeats, self.seed + part)
            except _OF_ALL:
                raise
            except AfterburnerError:  # one of them breaks the sandbox or the checker: the others can do nothing for it
                measured += self._turns(anchors, self.settings.repeats, self.seed + part)
                for code in chunk:
                    measured += self._alone(code, lost)
        return measured, lost

    def _alone(self, code: str, lost: dict[str, str]) -> list[Measured]:
        try:
            return self._turns([code], self.settings.repeats, self.seed)
        except _OF_ALL:
            raise
        except AfterburnerError as error:
            lost[code_id(code)] = str(error)
            return []

    def _turns(self, codes: Sequence[str], repeats: int, seed: int) -> list[Measured]:
        measured = measure_codes(
            self.sandbox, self.slots, self.problem, codes, repeats=repeats, seed=seed, cancel=self.cancel
        )
        self.runs += len(measured) * len(self.problem.test_cases)
        return measured

    def _fails_hidden(self, code: str, lost: dict[str, str]) -> bool:
        """Whether a code fails the hidden tests; where the sandbox does, the code is lost."""
        hidden = self.hidden
        if hidden is None:
            return False
        given = hidden.program(code), hidden.test_cases, hidden.limits
        try:
            with self.slots.lease(lambda: self.cancel.cancelled) as cpu:
                report = self.sandbox.run(*given, checker=hidden.checker, cpu=cpu, stop_at_failure=True)
        except _OF_ALL:
            raise
        except AfterburnerError as error:
            lost[code_id(code)] = str(error)
            return False
        self.runs += len(hidden.test_cases)
        if report.verdict is Verdict.INTERNAL_ERROR:
            lost[code_id(code)] = first_failure(report)
            return False
        return report.verdict is not Verdict.ACCEPTED


def figures_of_passing(measured: Iterable[Measured], counted: Counted) -> dict[str, Figures]:
    """The figures that count of the codes that pass each time they are run, by their ids."""
    every = list(measured)
    failed = {each.code_id for each in every if each.figures is None}
    return {code: figures for code, figures in over_repeats(every, _CHOOSE[counted]).items() if code not in failed}


def _verdicts(measured: Iterable[Measured]) -> dict[str, str]:
    """The verdict of each code: its first failure, if there is any."""
    found: dict[str, str] = {}
    for each in measured:
        if found.get(each.code_id, Verdict.ACCEPTED.value) == Verdict.ACCEPTED:
            found[each.code_id] = each.verdict.value
    return found


def _internal(measured: Iterable[Measured]) -> dict[str, str]:
    return {each.code_id: each.detail for each in measured if each.verdict is Verdict.INTERNAL_ERROR}
