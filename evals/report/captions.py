"""What stands with every table: the clock, the tests, the intervals, the problems and the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.agent.page.run_facts import machine_text
from afterburner.agent.types import Machine, Objective
from afterburner.agent.wording import count
from afterburner.evals.anchors import DRIFT_LIMIT
from afterburner.evals.evaluation import PRIVATE, PUBLIC
from afterburner.evals.metrics.intervals import FEW
from afterburner.evals.run_notes import failing_solutions, read_answers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.evals.evaluation import EvaluatedProblem, Evaluation
    from afterburner.evals.report.run_scores import RunScores, SideScores

NO_REFERENCES = "No problem has known solutions with figures, so there is nothing to rank the code among."
INTERVALS = (
    "Parentheses hold 95% intervals. Ours resample problems, generations and repeats; the paper's resample the repeats "
    "of one solution and divide by the root of their number, so they are far narrower."
)
SINGLE = (
    "Of {}, a single problem is scored, which says nothing of others: its interval is all that a score can be, and "
    "not what was found."
)
FEW_SCORED = (
    f"Of {{}}, fewer than {FEW} problems are scored. An interval of so few is often too narrow, so conclude nothing "
    "from it."
)

MEANING = (
    "Pass@1: the share of problems whose code passes every test. Beyond-T, -M and -I: the mean over problems of the "
    "share of known solutions that the code is at least as good as, by wall time, peak memory and memory integral; "
    "ties count as beaten, and code that fails scores 0."
)


def captions(runs: Sequence[RunScores], *, has_intervals: bool = True) -> tuple[str, ...]:
    """The notes of a table about these runs."""
    intervals = (INTERVALS, *_too_few(runs)) if has_intervals else ()
    return (clock(runs), *intervals, *map(problems_of, runs), *machines(runs))


def _too_few(runs: Sequence[RunScores]) -> tuple[str, ...]:
    """Of which runs so few problems are scored that nothing follows from the intervals; empty: of none."""
    single = [each.run.label for each in runs if _scored(each) == 1]
    few = [each.run.label for each in runs if 1 < _scored(each) < FEW]
    told = ((SINGLE, single), (FEW_SCORED, few))
    return tuple(text.format(" and of ".join(labels)) for text, labels in told if labels)


def few_caution(each: RunScores) -> str:
    """That nothing follows from the scores of so few problems; empty: there are enough."""
    scored = _scored(each)
    if scored == 1:
        return "A single problem is scored, which says nothing of others."
    if scored < FEW:
        advice = f"An interval of fewer than {FEW} is often too narrow, so conclude nothing from it."
        return f"Only {scored} problems are scored. {advice}"
    return ""


def _scored(each: RunScores) -> int:
    return len(each.main.evaluation.problems)


def clock(runs: Sequence[RunScores]) -> str:
    """Which clock, and which tests."""
    told = " and ".join(dict.fromkeys(tests_of(each.main.evaluation) for each in runs))
    is_public = all(set(each.main.evaluation.tests.values()) == {PUBLIC} for each in runs)
    seen = "the loop saw the results of these" if is_public else "the loop never sees the results of private ones"
    return f"Time is wall time. Scored on {told}; {seen}."


def tests_of(evaluation: Evaluation) -> str:
    """The tests that its problems are scored on, in words."""
    tests = list(evaluation.tests.values())
    if PRIVATE not in tests:
        return "public tests"
    others = tests.count(PUBLIC)
    return "private tests" + (f", and public ones of {count(others, 'problem')} without any" if others else "")


def problems_of(each: RunScores) -> str:
    """How many problems a run's scores are of, and how many have none."""
    return f"{each.run.label}: {side_problems(each.main)}."


def side_problems(side: SideScores) -> str:
    """Likewise, of one side."""
    found = side.evaluation
    parts = [count(len(found.problems), "problem")]
    if told := _references_of(found):
        parts.append(told)
    failing = sum(_has_only_failing_references(each) for each in found.problems)
    without = side.unranked - failing
    left_out = [f"{failing} of them with known solutions that all fail here"] if failing else []
    left_out += [f"{without} of them without references"] if without else []
    if left_out:
        parts.append(f"{' and '.join(left_out)}, which Beyond leaves out")
    if found.not_evaluated:
        parts.append(f"{len(found.not_evaluated)} more could not be evaluated")
    if found.rejected:
        parts.append(f"{count(len(found.rejected), 'record')} of the dataset could not be used")
    return ", ".join(parts)


def _has_only_failing_references(problem: EvaluatedProblem) -> bool:
    """Whether Beyond has nothing to rank its code among, although it has known solutions: none of them passes here."""
    return bool(problem.facts.get("failing_references")) and not len(problem.references[Objective.TIME])


def failing_caution(each: RunScores) -> str:
    """On how many problems all known solutions fail, and where to read of it; empty: on none."""
    told = failing_solutions([problem.facts for problem in each.main.evaluation.problems])
    return f"{each.run.label}: {told} The pages in problems/ say more." if told else ""


def answers_caution(each: RunScores) -> str:
    """How many answers were cut off, and how many had no code; empty: none, or no model was asked."""
    folder = each.run.public.folder
    told = read_answers(folder).caution if folder is not None else ""
    return f"{each.run.label}: {told}" if told else ""


def drift_caution(each: RunScores) -> str:
    """For how many problems the machine was not as fast as when their known solutions were stored; empty: for none."""
    found = each.main.evaluation
    drifts = [problem.drift for problem in found.problems if abs(problem.drift - 1) > DRIFT_LIMIT]
    if not drifts:
        return ""
    low, high = f"{min(drifts):.2f}", f"{max(drifts):.2f}"
    took = f"{low} times" if low == high else f"{low} to {high} times"
    of = f"{len(drifts)} of {count(len(found.problems), 'problem')}"
    return (
        f"In {each.run.label} the known solutions of {of} took {took} as long as stored. Their figures are scaled by "
        "that, one factor a problem; the pages of the problems say more."
    )


def _references_of(found: Evaluation) -> str:
    """How many known solutions the problems have that have any; of a single one, Beyond can only be 0 or 100."""
    counts = [len(known) for each in found.problems if len(known := each.references[Objective.TIME])]
    if not counts:
        return ""
    few, many = min(counts), max(counts)
    some = f"{len(counts)} of them " if len(counts) < len(found.problems) else ""
    each = " each" if len(counts) > 1 else ""
    if many == 1:
        told = f"{some}with only one known solution{each}"
        return f"{told}, so that a repeat of its code scores either 0 or 100 in Beyond"
    return f"{some}with {few if few == many else f'{few} to {many}'} known solutions{each}"


def machines(runs: Sequence[RunScores]) -> tuple[str, ...]:
    """The machines, each once."""
    told = dict.fromkeys(machine_of(each.run.public.machine) for each in runs)
    return tuple(f"Measured on: {each}." for each in told)


def machine_of(known: Mapping[str, Any]) -> str:
    """A machine in a line, as `run.json` describes it."""
    try:
        return machine_text(Machine(**known))
    except (AttributeError, TypeError, ValueError):  # another version wrote it
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items()) or "not known"
