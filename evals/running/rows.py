"""The rows that one problem adds to the tables of an evaluation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from afterburner.agent.usage import Usage
from afterburner.evals.problems import code_id
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from afterburner.agent import Problem
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import JudgedCandidate
    from afterburner.evals.anchors import Drift
    from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
    from afterburner.evals.running.measure import Measured
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Report

_NOT_MEASURED: dict[str, float | None] = dict.fromkeys(
    ("wall_time_s", "cpu_time_s", "peak_memory_kib", "memory_integral_kib_s")
)
_NAN = float("nan")
_UNKNOWN: Row = {
    **{f"{prefix}drift{suffix}": _NAN for prefix in ("", "private_") for suffix in ("", "_memory", "_integral")},
    "difficulty": "",
    "tags": [],
    "public_cases": 0,
    "private_cases": 0,
    "case_names": [],
    "private_case_names": [],
    "measured_references": 0,
    "measured_on": "",
    "flags": [],
    "failing_references": "",
    "notes": [],
}


@dataclass(slots=True)
class ProblemRows:
    """Collects the rows of one problem, or of one function of a package, table by table."""

    problem_id: str
    tables: dict[str, list[Row]] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)  # by `code_id`

    def add(self, table: str, **values: Any) -> None:
        """Add a row."""
        self.tables.setdefault(table, []).append({"problem_id": self.problem_id, **values})

    def add_loop(self, result: RunResult, generation: int, iterations: int) -> None:
        """Add a generation: its candidates, and C* after each iteration. Rounds that were not needed keep the last."""
        for each in result.candidates:
            self._add_candidate(each, generation)
        last = result.trajectory[-1] if result.trajectory else None
        for iteration in range(iterations + 1):
            best = result.trajectory[iteration] if iteration < len(result.trajectory) else last
            source = best.source if best else ""
            self.add(
                "best",
                generation=generation,
                iteration=iteration,
                candidate=best.id if best else "",
                code_id=self.known_code(source),
                passed=best.passed if best else False,
            )

    def known_code(self, code: str) -> str:
        """The id of a code, which is stored with the others."""
        name = code_id(code)
        if name:
            self.codes[name] = code
        return name

    def _add_candidate(self, each: JudgedCandidate, generation: int) -> None:
        answer = each.answer
        is_measured = each.verdict is Verdict.ACCEPTED  # what fails is put down with the limits, as a penalty
        used = each.measurement if is_measured else None
        self.add(
            "candidates",
            generation=generation,
            iteration=each.iteration,
            candidate=each.id,
            proposer=each.proposer,
            code_id=self.known_code(each.source),
            reasoning=each.reasoning,
            prompt=json.dumps([dict(message) for message in answer.messages]) if answer and answer.messages else "",
            answer=answer.text if answer else "",
            finish_reason=answer.finish_reason if answer else "",
            prompt_tokens=answer.prompt_tokens if answer else None,
            completion_tokens=answer.completion_tokens if answer else None,
            cost_usd=answer.cost_usd if answer else None,
            cached=answer.cached if answer else False,
            verdict=each.verdict.value if each.verdict else "",
            decision=each.decision.value,
            reason=each.reason,
            wall_time_s=used.wall_time_s if used else None,
            cpu_time_s=used.cpu_time_s if used else None,
            peak_memory_kib=float(used.peak_memory_kib) if used else None,
            memory_integral_kib_s=used.memory_integral_kib_s if used else None,
        )

    def add_measured(self, tests: str, measured: Iterable[Measured]) -> None:
        """Add the repeats of a series."""
        for each in measured:
            self.add(
                "measurements",
                code_id=each.code_id,
                tests=tests,
                repeat=each.repeat,
                turn=each.turn,
                verdict=each.verdict.value,
                detail=each.detail,
                case_wall_times_s=list(each.case_wall_times_s),
                **_figures(each.figures),
            )

    def add_references(self, tests: str, references: Iterable[tuple[Reference, Figures]], anchors: set[str]) -> None:
        """Add known solutions with the figures that they were stored with."""
        for each, figures in references:
            self.add("references", code_id=each.id, tests=tests, is_anchor=each.id in anchors, **_figures(figures))

    def add_verdict(self, rule: str, code: str, report: Report, detail: str) -> None:
        """Add what a rule says of a code."""
        self.add("verdicts", code_id=code, rule=rule, verdict=report.verdict.value, detail=detail)

    def add_gain(self, result: RunResult, generation: int) -> None:
        """Add what the product says of a generation."""
        gain = result.gain
        self.add(
            "gains",
            generation=generation,
            decision=result.decision.value,
            summary=result.summary,
            patch=result.patch,
            ratio=gain.ratio if gain else None,
            low=gain.low if gain else None,
            high=gain.high if gain else None,
        )

    def finish(self, facts: Row, elapsed_s: float, *, reason: str = "", **more: Any) -> None:
        """Add the codes and the row of the problem itself; `reason` says why it was not evaluated, if it was not."""
        for name, code in self.codes.items():
            self.add("codes", code_id=name, code=code)
        self.add("problems", **{**_UNKNOWN, **facts, **more, "elapsed_s": elapsed_s, "reason": reason})


def facts_of(problem: BenchmarkProblem) -> Row:
    """What the table `problems` tells of a problem before anything is measured."""
    return {
        "dataset": problem.dataset,
        "difficulty": problem.difficulty,
        "tags": list(problem.tags),
        "language": problem.problem.language,
        "description": problem.problem.description,
        "public_cases": len(problem.problem.cases),
        "private_cases": len(problem.private.cases) if problem.private else 0,
        "case_names": _case_names(problem.problem),
        "private_case_names": _case_names(problem.private) if problem.private else [],
        "measured_references": len(problem.measured),
        "measured_on": problem.measured_on,
        "notes": list(problem.notes),
    }


def drifts_of(drifts: Mapping[str, Drift]) -> Row:
    """How far the machine was from the stored figures, by the names of the table `problems`."""
    return {
        f"{prefix}drift{suffix}": getattr(drifts[tests], name)
        for tests, prefix in (("public", ""), ("private", "private_"))
        if tests in drifts
        for name, suffix in (("time", ""), ("memory", "_memory"), ("integral", "_integral"))
    }


def used_by(candidates: Iterable[Row]) -> Usage:
    """What models have used for one problem; a stored answer costs nothing."""
    paid = [row for row in candidates if row["prompt"] and not row["cached"]]
    return Usage(
        requests=len(paid),
        prompt_tokens=sum(row["prompt_tokens"] or 0 for row in paid),
        completion_tokens=sum(row["completion_tokens"] or 0 for row in paid),
        cost_usd=sum(row["cost_usd"] or 0.0 for row in paid),
        unpriced=sum(row["cost_usd"] is None for row in paid),
    )


def _case_names(problem: Problem) -> list[str]:
    return [each.name for each in problem.test_cases]


def _figures(used: Figures | None) -> dict[str, float | None]:
    if used is None:
        return dict(_NOT_MEASURED)
    return {name: getattr(used, name) for name in _NOT_MEASURED}
