"""Chooses solutions of one problem by their figures: pairs, triples and originals."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from afterburner.training.data.prompts import is_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.types import Objective
    from afterburner.evals.problems import BenchmarkProblem, Reference
    from afterburner.training.data.settings import DataSettings

_TRIES = 50  # draws for each triple that is wanted: most draws of three have no gap on one of the two sides


def ranked(problem: BenchmarkProblem, objective: Objective) -> list[Reference]:
    """The solutions that an answer can hold and that have a figure of the objective, the best one first."""
    known = {
        each.id: each
        for each in problem.measured
        if _figure(each, objective) > 0 and is_answer(each.code, problem.problem.language)
    }
    return sorted(known.values(), key=lambda each: (_figure(each, objective), each.id))


def choose_pairs(
    problem: BenchmarkProblem, objective: Objective, settings: DataSettings
) -> list[tuple[Reference, Reference]]:
    """Pairs of a worse and a better solution with a gap between them, drawn among all such pairs."""
    pairs = [
        (worse, better)
        for better, worse in combinations(ranked(problem, objective), 2)
        if _has_gap(better, worse, objective, settings)
    ]
    return _chance(problem, objective, settings).sample(pairs, min(settings.most_examples, len(pairs)))


def choose_triples(
    problem: BenchmarkProblem, objective: Objective, settings: DataSettings
) -> list[tuple[Reference, Reference, Reference]]:
    """Best, middling and worst of three solutions drawn at random, with a gap on both sides of the middling one."""
    solutions, chance = ranked(problem, objective), _chance(problem, objective, settings)
    found: dict[tuple[str, ...], tuple[Reference, Reference, Reference]] = {}
    most = min(settings.most_examples, math.comb(len(solutions), 3))
    for _ in range(_TRIES * most):
        drawn = sorted(chance.sample(range(len(solutions)), 3))
        best, middling, worst = (solutions[place] for place in drawn)
        if _has_gap(best, middling, objective, settings) and _has_gap(middling, worst, objective, settings):
            found.setdefault((best.id, middling.id, worst.id), (best, middling, worst))
        if len(found) == most:
            break
    return list(found.values())


def choose_originals(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> list[Reference]:
    """Originals from all over the range of efficiency: one drawn from each of as many parts of it, without repeats."""
    solutions, chance = ranked(problem, objective), _chance(problem, objective, settings)
    count = min(settings.most_examples, len(solutions))
    bounds = [len(solutions) * part // count for part in range(count + 1)] if count else []
    return [solutions[chance.randrange(low, high)] for low, high in pairwise(bounds)]


def best(problem: BenchmarkProblem, objective: Objective) -> Iterator[Reference]:
    """The best solution, if any has a figure."""
    yield from ranked(problem, objective)[:1]


def _figure(reference: Reference, objective: Objective) -> float:
    """NaN compares as false, so that what nobody measured is never chosen."""
    return reference.figures.of(objective) if reference.figures is not None else math.nan


def _has_gap(better: Reference, worse: Reference, objective: Objective, settings: DataSettings) -> bool:
    return _figure(worse, objective) >= settings.least_gap * _figure(better, objective)


def _chance(problem: BenchmarkProblem, objective: Objective, settings: DataSettings) -> random.Random:
    """The same choices for a problem, whatever others are in the data set, and in whichever order."""
    return random.Random(f"{settings.seed} {settings.recipe} {objective} {problem.id}")  # noqa: S311 - no secret
