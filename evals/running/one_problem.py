"""Evaluates one problem: its loops, then every code they came to, timed beside the anchors."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.options import InputOptions
from afterburner.evals.anchors import DRIFT_LIMIT, Drift, choose_anchors, drift_of
from afterburner.evals.evaluation import PRIVATE, PUBLIC
from afterburner.evals.problems import code_id
from afterburner.evals.running.loops import LeftOutError
from afterburner.evals.running.measure import first_failure, measure_codes, medians
from afterburner.evals.running.rows import ProblemRows, drifts_of, facts_of
from afterburner.sandbox import Task
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.agent import Problem
    from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
    from afterburner.evals.running.loops import LoopRunner
    from afterburner.evals.running.measure import Measured
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.cores import Cores

STRICT = "strict"


@dataclass(slots=True)
class ProblemEvaluator:
    """Evaluates one problem by the settings of an evaluation."""

    loops: LoopRunner
    problem: BenchmarkProblem
    on_measured: Callable[[str, str, int, int], object] = lambda *_: None  # problem's id, series, runs done and in all
    rows: ProblemRows = field(init=False)
    flags: list[str] = field(default_factory=list)  # what a reader has to know of the references' figures
    failing_references: str = ""  # see the table `problems`

    def __post_init__(self) -> None:
        """Begin with no rows."""
        self.rows = ProblemRows(self.problem.id)

    def evaluate(self) -> Mapping[str, Sequence[Row]]:
        """Evaluate the problem, and return the rows of all tables.

        Raises:
            InterruptedLoopError: a loop was cut short.
            CancelledError: it was cancelled.
            AfterburnerError: as `Session.optimize`. The problem counts as not evaluated, never as failed.
        """
        began, problem, rows, settings = time.monotonic(), self.problem, self.rows, self.loops.folder.settings
        try:
            for generation in range(settings.generations):
                rows.add_loop(self.loops.run(problem, generation), generation, settings.iterations)
        except LeftOutError as error:
            rows.finish(facts_of(problem), time.monotonic() - began, reason=str(error))
            return rows.tables
        try:
            self._score(began)
        except CheckerError as error:
            rows.finish(facts_of(problem), time.monotonic() - began, reason=f"its grader gives no verdict: {error}")
        return rows.tables

    def _score(self, began: float) -> None:
        """Measure the codes that the loops came to, and add what is left of the rows."""
        problem, rows = self.problem, self.rows
        best = [rows.codes[name] for name in dict.fromkeys(row["code_id"] for row in rows.tables["best"]) if name]
        drifts: dict[str, Drift] = {}
        with self.loops.session.lend(self.loops.cancel) as loan, loan.sandbox(InputOptions()) as sandbox:
            sides = {PUBLIC: problem.problem, **({PRIVATE: problem.private} if problem.private else {})}
            for tests, judged in sides.items():
                drifts[tests] = self._measure(tests, judged, best, sandbox, loan.cores())
                has_anchors = any(
                    row["is_anchor"] and row["tests"] == tests for row in rows.tables.get("references", ())
                )
                self.flags += _flags(tests, drifts[tests], problem.measured_on, has_anchors=has_anchors)
            self._verdicts(best, sandbox)
        facts = facts_of(problem)
        if not problem.measured_alike:  # what is known of the references is then of this run
            known = [row for row in rows.tables.get("references", ()) if row["tests"] == PUBLIC]
            facts |= {"measured_references": len(known), "measured_on": "this machine, in this run" if known else ""}
        facts |= {"flags": self.flags, "failing_references": self.failing_references}
        rows.finish(facts, time.monotonic() - began, **drifts_of(drifts))

    def _measure(self, tests: str, judged: Problem, best: list[str], sandbox: Sandbox, cores: Cores) -> Drift:
        """Measure the codes and the anchors together; once more if the anchors have drifted."""
        known = self.problem if tests == PUBLIC else _on_private_cases(self.problem)
        settings = self.loops.folder.settings
        anchors = choose_anchors(known) if known.measured_alike else ()
        companions = anchors or _unmeasured(known, settings.references)
        codes = [*(each.code for each in companions), *best]
        measured: list[Measured] = []
        drift = Drift()
        for attempt, again in enumerate(("", ", once more as the machine has drifted")):
            series = f"{tests} tests{again}"

            def tell(each: Measured, series: str = series) -> None:
                self.on_measured(self.problem.id, series, each.turn + 1, len(codes) * settings.repeats)

            measured = measure_codes(
                sandbox,
                cores,
                judged,
                codes,
                repeats=settings.repeats,
                seed=settings.seed + attempt,
                cancel=self.loops.cancel,
                on_measured=tell,
            )
            drift = drift_of(anchors, measured)
            if not drift.beyond_limit:
                break
        self.rows.add_measured(tests, measured)
        passing = _as_measured(companions, measured)
        if companions and not passing:
            failure = f"on the {tests} tests, {_first_failure(companions, measured)}"
            self.failing_references = self.failing_references or failure
        figures = _with_figures(known) if anchors else passing
        if len(figures) < len(companions) and not anchors:
            self.flags.append(_failing(tests, len(companions) - len(figures), companions, measured))
        self.rows.add_references(tests, figures, {each.id for each in anchors})
        return drift

    def _verdicts(self, best: list[str], sandbox: Sandbox) -> None:
        """What the strict rule says of each code."""
        strict = self.problem.strict
        if strict is None:
            return
        tasks = [Task(strict.program(code), strict.test_cases, strict.limits, strict.checker, True) for code in best]  # noqa: FBT003
        for code, report in zip(best, sandbox.run_many(tasks), strict=True):
            self.rows.add_verdict(STRICT, code_id(code), report, first_failure(report))


def _on_private_cases(problem: BenchmarkProblem) -> BenchmarkProblem:
    """The problem with the figures that its references have on the private cases."""
    references = tuple(replace(each, figures=each.private_figures) for each in problem.references)
    return replace(problem, references=references)


def _unmeasured(problem: BenchmarkProblem, most: int) -> tuple[Reference, ...]:
    """References that nobody has measured: they are measured with the new code, and then say how good that is."""
    return tuple({each.id: each for each in problem.references if each.code}.values())[:most]


def _as_measured(references: Sequence[Reference], measured: Sequence[Measured]) -> list[tuple[Reference, Figures]]:
    """Those that pass each time they are run, with the medians of this series."""
    failed = {one.code_id for one in measured if not one.passed}
    found = medians(measured)
    return [(each, found[each.id]) for each in references if each.id in found and each.id not in failed]


def _failing(tests: str, failing: int, references: Sequence[Reference], measured: Sequence[Measured]) -> str:
    """What is said of known solutions that do not pass here."""
    return (
        f"On the {tests} tests {failing} of {len(references)} known solutions fail here, and nothing is compared with "
        f"them. The first failure: {_first_failure(references, measured)}."
    )


def _first_failure(references: Sequence[Reference], measured: Sequence[Measured]) -> str:
    ids = {each.id for each in references}
    return next(one.detail for one in measured if one.code_id in ids and not one.passed)


def _with_figures(problem: BenchmarkProblem) -> list[tuple[Reference, Figures]]:
    return [(each, each.figures) for each in problem.references if each.figures is not None]


def _flags(tests: str, drift: Drift, measured_on: str, *, has_anchors: bool) -> list[str]:
    """What a reader has to know of the references' figures."""
    stored = f"what was stored ({measured_on or 'the machine is not named'})"
    if has_anchors and not math.isfinite(drift.time):
        return [f"On the {tests} tests no anchor passes here, so the references are {stored}, and are not scaled."]
    if not drift.beyond_limit:
        return []
    told = ", ".join(
        f"{each.value} {drift.of(each):.2f}x" for each in drift.beyond_limit if math.isfinite(drift.of(each))
    )
    said = f"On the {tests} tests the anchors drifted by more than {DRIFT_LIMIT:.0%} in two series: {told} of {stored}."
    return [f"{said} The references are scaled by it."]
