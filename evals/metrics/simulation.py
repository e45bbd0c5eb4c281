"""A simulated evaluation whose true scores are known: programs of known cost, measured with known noise.

Problems come from three difficulties. For each problem the known solutions' log times spread normally around the
problem's own level, their memory is a base plus a binomial number of pages, so that ties are frequent. A generation
passes with the problem's own probability, which is drawn from a beta distribution; its log time and its pages are
shifted against the known solutions by an amount that is the problem's own, and vary between generations. Each run
adds noise to both. The expected scores over all problems, generations and runs have closed forms.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from afterburner.agent.types import Objective
from afterburner.evals.evaluation import EvaluatedProblem, Evaluation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPREAD_OF_REFERENCES = 0.8  # of log times, between the known solutions of a problem
SPREAD_OF_PROBLEMS = 0.9  # of the shift of log time, between problems
SPREAD_OF_GENERATIONS = 0.3
NOISE = 0.08  # of log time, between runs
REFERENCES = (8, 60)  # the least and the largest number of known solutions
BASE_KIB, PAGE_KIB = 9000.0, 256.0
PAGES = (0.1, 0.4, 0.3, 0.15, 0.05)  # probabilities of 0 to 4 pages, before the shift
SHIFTS = (0.3, 0.4, 0.2, 0.1)  # probabilities that a problem's generations need 0 to 3 pages more
ONE_MORE = 0.2  # the probability that a run needs one page more than the program does


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A class of problems.

    Attributes:
        name: of the class.
        share: of all problems.
        passing: both parameters of the beta distribution of the probability to pass.
        shift: the mean of log(time of a generation / median time of the known solutions).
    """

    name: str
    share: float
    passing: tuple[float, float]
    shift: float


DIFFICULTIES = (
    Difficulty("easy", 0.3, (4.0, 1.0), -0.3),
    Difficulty("medium", 0.5, (2.0, 1.5), 0.1),
    Difficulty("hard", 0.2, (0.6, 1.6), 0.5),
)


@dataclass(frozen=True, slots=True)
class Truth:
    """What an evaluation of endlessly many problems, generations and runs would score."""

    pass_at_1: float
    beyond: dict[Objective, float]


def truth() -> Truth:
    """The expected Pass@1 and Beyond over the population."""
    passing = [each.passing[0] / sum(each.passing) for each in DIFFICULTIES]
    shares = [each.share for each in DIFFICULTIES]
    ranks = {objective: [_expected_rank(objective, each.shift) for each in DIFFICULTIES] for objective in Objective}
    return Truth(
        sum(share * passes for share, passes in zip(shares, passing, strict=True)),
        {
            objective: sum(share * passes * rank for share, passes, rank in zip(shares, passing, found, strict=True))
            for objective, found in ranks.items()
        },
    )


def simulate(rng: np.random.Generator, problems: int, generations: int, runs: int) -> Evaluation:
    """Draw an evaluation with a single point, iteration 0.

    Args:
        rng: where all chance comes from.
        problems: P.
        generations: G of each problem.
        runs: R of each generation.
    """
    drawn = rng.choice(len(DIFFICULTIES), size=problems, p=[each.share for each in DIFFICULTIES])
    made = tuple(
        _problem(rng, f"simulated-{at}", DIFFICULTIES[kind], generations, runs) for at, kind in enumerate(drawn)
    )
    return Evaluation("simulated", {}, {}, made)


def _problem(
    rng: np.random.Generator, name: str, difficulty: Difficulty, generations: int, runs: int
) -> EvaluatedProblem:
    level = rng.normal(0.0, 1.0)  # of the problem's log times: it has no influence on ranks
    count = int(rng.integers(REFERENCES[0], REFERENCES[1] + 1))
    references = _figures(
        level + rng.normal(0.0, SPREAD_OF_REFERENCES, count) + rng.normal(0.0, NOISE, count),
        _pages(rng, count) + (rng.random(count) < ONE_MORE),
    )
    size = (generations, 1, runs)
    passed = rng.random((generations, 1)) < rng.beta(*difficulty.passing)
    shift = rng.normal(difficulty.shift, SPREAD_OF_PROBLEMS)
    log_time = (
        level + shift + rng.normal(0.0, SPREAD_OF_GENERATIONS, (generations, 1, 1)) + rng.normal(0.0, NOISE, size)
    )
    more = rng.choice(len(SHIFTS), p=SHIFTS)
    pages = _pages(rng, (generations, 1, 1)) + more + (rng.random(size) < ONE_MORE)
    figures = {
        objective: np.where(passed[..., np.newaxis], values, np.nan)
        for objective, values in _figures(log_time, pages).items()
    }
    known = {objective: np.sort(values) for objective, values in references.items()}
    return EvaluatedProblem(name, difficulty.name, known, passed, figures)


def _pages(rng: np.random.Generator, size: int | tuple[int, ...]) -> NDArray[np.intp]:
    return rng.choice(len(PAGES), p=PAGES, size=size)


def _figures(log_time: NDArray[np.float64], pages: NDArray[np.intp]) -> dict[Objective, NDArray[np.float64]]:
    time_s, memory_kib = np.exp(log_time), BASE_KIB + PAGE_KIB * pages
    return {Objective.TIME: time_s, Objective.MEMORY: memory_kib, Objective.INTEGRAL: time_s * memory_kib}


def _expected_rank(objective: Objective, shift: float) -> float:
    """P(a reference's figure >= that of a passing generation), over all that chance decides."""
    spread = np.sqrt(SPREAD_OF_REFERENCES**2 + SPREAD_OF_PROBLEMS**2 + SPREAD_OF_GENERATIONS**2 + 2 * NOISE**2)
    of_time = NormalDist(shift, float(spread))  # log(time of the generation / time of the reference)
    if objective is Objective.TIME:
        return of_time.cdf(0.0)
    of_reference = np.convolve(PAGES, [1 - ONE_MORE, ONE_MORE])
    of_generation = np.convolve(of_reference, SHIFTS)
    total = 0.0
    for (theirs, chance), (ours, other) in itertools.product(enumerate(of_reference), enumerate(of_generation)):
        if objective is Objective.MEMORY:
            beaten = float(theirs >= ours)
        else:
            beaten = of_time.cdf(float(np.log((BASE_KIB + PAGE_KIB * theirs) / (BASE_KIB + PAGE_KIB * ours))))
        total += float(chance) * float(other) * beaten
    return total
