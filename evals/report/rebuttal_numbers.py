"""The numbers that the authors gave to their reviewers, as printed: percentages unless a name says another unit.

Source: the discussion of the paper on OpenReview (NeurIPS 2025). It contradicts itself in places; each is noted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.report.measures import BEYOND_I, BEYOND_M, BEYOND_T, PASSING
from afterburner.evals.report.paper_numbers import (
    APPS,
    GPT_4O,
    GRPO,
    LIVECODEBENCH,
    MERCURY,
    QWEN_3B,
    QWEN_7B,
    QWEN_CODER_7B,
    SFT,
    VENUS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.evals.report.measures import Measure

    Series = Mapping[int, float]  # by iteration
    Curves = Mapping[Measure, Series]

_TO_8 = (0, 1, 2, 4, 8)
_TO_10 = (0, 1, 2, 5, 7, 10)
_APPS_AT = (0, 1, 3, 5, 7, 10)
_ALL_10 = tuple(range(11))
_LONG = (0, 8, 12, 16, 20, 24, 28, 29, 30, 31, 32)


def _at(iterations: tuple[int, ...], *values: float) -> Series:
    return dict(zip(iterations, values, strict=True))


# Answer to reviewer UfKJ, Q1: the prompt holds one attempt, or all of them ("Multi-turn Loop").
HISTORY_SOURCE = "rebuttal, Q1 of reviewer UfKJ: with and without the history of attempts in the prompt, on Venus"
WITHOUT_HISTORY: Mapping[str, Curves] = {
    GRPO: {
        PASSING: _at(_TO_10, 47.33, 50.33, 52.00, 58.17, 60.50, 61.67),
        BEYOND_I: _at(_TO_10, 18.24, 24.81, 29.44, 35.48, 38.01, 38.95),
    },
}
WITH_HISTORY: Mapping[str, Curves] = {
    GRPO: {
        PASSING: _at(_TO_10, 45.00, 46.33, 46.33, 46.33, 46.67, 46.67),
        BEYOND_I: _at(_TO_10, 15.10, 15.10, 15.10, 15.10, 15.10, 15.10),
    },
    QWEN_3B: {
        PASSING: _at(_TO_8, 28.33, 28.33, 28.33, 28.67, 28.67),
        BEYOND_T: _at(_TO_8, 12.45, 12.61, 12.91, 13.14, 13.19),
        BEYOND_M: _at(_TO_8, 13.19, 13.50, 14.12, 14.27, 14.82),
        BEYOND_I: _at(_TO_8, 10.28, 10.64, 10.95, 11.22, 11.87),
    },
}

# Q2 and Q3 of reviewer UfKJ. Qwen 2.5 7B is the table of Q2, which does not say whether that model was trained; its
# first column is the vanilla one of Table 1. "Qwen2.5 7B Code" is the coder of Table 1.
VANILLA_SOURCE = "rebuttal, Q2 and Q3 of reviewer UfKJ: models that were not trained, under the loop, on Venus"
VANILLA: Mapping[str, Curves] = {
    QWEN_3B: {
        PASSING: _at(_TO_8, 27.99, 28.33, 28.67, 29.00, 29.33),
        BEYOND_T: _at(_TO_8, 12.40, 12.74, 13.08, 13.42, 13.69),
        BEYOND_M: _at(_TO_8, 13.24, 13.73, 14.22, 14.71, 15.19),
        BEYOND_I: _at(_TO_8, 10.29, 10.77, 11.25, 11.72, 12.07),
    },
    QWEN_CODER_7B: {
        PASSING: _at(_TO_8, 52.21, 54.00, 54.33, 56.00, 58.33),
        BEYOND_T: _at(_TO_8, 20.66, 21.47, 23.03, 23.47, 26.26),
        BEYOND_M: _at(_TO_8, 25.21, 25.72, 26.48, 29.93, 31.20),
        BEYOND_I: _at(_TO_8, 16.78, 17.69, 20.91, 23.21, 27.14),
    },
    QWEN_7B: {
        PASSING: _at(_TO_10, 60.67, 65.67, 69.33, 74.67, 79.67, 83.67),
        BEYOND_T: _at(_TO_10, 27.67, 32.87, 34.22, 39.50, 41.91, 42.86),
        BEYOND_M: _at(_TO_10, 29.79, 31.55, 36.48, 40.97, 43.26, 44.51),
        BEYOND_I: _at(_TO_10, 21.02, 28.10, 33.85, 37.54, 37.54, 38.66),
    },
    GPT_4O: {
        PASSING: _at(_TO_8, 82.26, 84.00, 84.33, 84.33, 85.33),
        BEYOND_T: _at(_TO_8, 38.22, 40.16, 42.02, 44.16, 46.17),
        BEYOND_M: _at(_TO_8, 42.09, 43.28, 44.71, 46.20, 48.01),
        BEYOND_I: _at(_TO_8, 28.89, 30.60, 32.55, 35.02, 41.29),
    },
}

# Q6 of reviewer UfKJ, and the follow-up to 32 iterations. The two disagree: GRPO's slow start begins at 3.76 and at
# 3.75, SFT reaches 11.50 and 10.49 at iteration 8, and GRPO 13.85 and 14.15.
STARTS_SOURCE = "rebuttal, Q6 of reviewer UfKJ and its follow-up: Beyond-I on Venus"
STARTS: Mapping[tuple[str, str], Series] = {
    ("slow", SFT): _at(_TO_8, 3.76, 4.74, 5.24, 7.31, 11.50),
    ("slow", GRPO): _at(_TO_8, 3.76, 4.28, 5.21, 8.60, 13.85),
    ("fast", SFT): _at(_TO_8, 51.44, 51.44, 52.93, 54.21, 56.73),
    ("fast", GRPO): _at(_TO_8, 51.44, 53.70, 55.12, 58.21, 62.17),
}
LONG_STARTS: Mapping[tuple[str, str], Series] = {
    ("slow", SFT): _at(_LONG, 3.76, 10.49, 11.50, 11.50, 11.87, 12.04, 12.04, 12.04, 12.04, 12.04, 12.04),
    ("slow", GRPO): _at(_LONG, 3.75, 14.15, 16.00, 20.42, 25.59, 27.05, 27.05, 28.14, 29.01, 29.01, 29.13),
}

# Q7 of reviewer UfKJ: the iteration from which the score is within 5% of the last one. The model is not named.
LEVELS_SOURCE = "rebuttal, Q7 of reviewer UfKJ, whose model is not named: taken to be GRPO"
LEVELS: Mapping[tuple[str, Measure], Mapping[str, int]] = {
    (VENUS, BEYOND_T): {"easy": 3, "medium": 6, "hard": 7},
    (APPS, BEYOND_T): {"easy": 4, "medium": 5, "hard": 6},
    (VENUS, BEYOND_M): {"easy": 3, "medium": 5, "hard": 8},
    (APPS, BEYOND_M): {"easy": 2, "medium": 4, "hard": 9},
    (VENUS, BEYOND_I): {"easy": 4, "medium": 5, "hard": 8},
    (APPS, BEYOND_I): {"easy": 3, "medium": 5, "hard": 9},
}

# Q6 of reviewer ovks: the loop saw the public tests; scored on them, and on private ones.
TESTS_SOURCE = "rebuttal, Q6 of reviewer ovks: Afterburner-GRPO on Venus"
PUBLIC_CURVES: Curves = {
    PASSING: _at(_ALL_10, 47.33, 50.33, 52.00, 54.50, 57.00, 58.17, 59.34, 60.50, 61.18, 61.67, 61.67),
    BEYOND_T: _at(_ALL_10, 31.22, 36.69, 38.41, 39.64, 40.83, 42.35, 43.49, 44.30, 44.82, 45.17, 45.17),
    BEYOND_M: _at(_ALL_10, 25.14, 30.21, 34.17, 37.45, 40.72, 42.55, 44.39, 46.22, 47.65, 48.05, 48.05),
    BEYOND_I: _at(_ALL_10, 18.24, 24.81, 29.44, 30.85, 33.56, 35.48, 37.09, 38.01, 38.62, 38.95, 38.95),
}
PRIVATE_CURVES: Curves = {
    PASSING: _at(_ALL_10, 46.67, 51.00, 52.67, 54.00, 56.00, 58.33, 59.67, 61.00, 62.00, 62.00, 62.00),
    BEYOND_T: _at(_ALL_10, 29.73, 35.28, 38.01, 38.46, 39.10, 40.50, 40.50, 42.63, 43.19, 43.16, 44.93),
    BEYOND_M: _at(_ALL_10, 25.43, 28.59, 32.15, 35.21, 38.66, 40.73, 43.21, 44.92, 44.92, 44.94, 45.89),
    BEYOND_I: _at(_ALL_10, 17.85, 23.24, 28.76, 29.95, 33.27, 35.10, 36.99, 37.62, 38.50, 38.50, 38.50),
}
PEARSON_R: Mapping[Measure, float] = {PASSING: 0.9939, BEYOND_T: 0.9852, BEYOND_M: 0.9955, BEYOND_I: 0.9986}


@dataclass(frozen=True, slots=True)
class Gains:
    """What the passing solutions of an iteration used, together and on average."""

    passed: int
    time_s: float
    mean_time_s: float
    memory_gib: float
    mean_memory_gib: float


# Q7 of reviewer ovks. "Gb" is taken to be GiB. 140 passing are 46.67% of 300, and the public curve says 47.33%.
GAINS_SOURCE = "rebuttal, Q7 of reviewer ovks: Afterburner-GRPO on Venus, its passing solutions"
GAINS: Mapping[int, Gains] = {
    0: Gains(140, 14308, 102.20, 157, 1.12),
    1: Gains(153, 12903, 84.33, 156, 1.02),
    2: Gains(158, 11690, 73.99, 141, 0.89),
    4: Gains(168, 9354, 55.68, 128, 0.76),
    8: Gains(186, 9390, 50.48, 119, 0.64),
}

# Q3 of reviewer ovks, Q4 of reviewer z3gd, and the follow-up to Q5 of reviewer UfKJ. For LiveCodeBench ovks got as
# "Base" the values that z3gd got as "SFT", and under other iterations: z3gd's stand here, and "Base" on APPS is taken
# to be SFT. Mercury's "Beyond" is of the time.
BENCHMARKS_SOURCE = "rebuttal: Q3 of reviewer ovks, Q4 of reviewer z3gd, Q5 of reviewer UfKJ"
BENCHMARKS: Mapping[tuple[str, str], Curves] = {
    (APPS, SFT): {
        PASSING: _at(_APPS_AT, 10.67, 11.67, 13.67, 15.00, 15.33, 15.67),
        BEYOND_T: _at(_APPS_AT, 4.14, 4.14, 4.14, 4.23, 4.53, 4.53),
    },
    (APPS, GRPO): {
        PASSING: _at(_APPS_AT, 13.00, 15.00, 20.33, 24.00, 28.00, 31.67),
        BEYOND_T: _at(_APPS_AT, 4.69, 9.04, 12.36, 14.85, 16.01, 16.18),
    },
    (LIVECODEBENCH, SFT): {PASSING: _at(_TO_10, 5.49, 6.59, 6.59, 7.14, 7.69, 7.69)},
    (LIVECODEBENCH, GRPO): {PASSING: _at(_TO_10, 5.49, 7.69, 9.89, 11.54, 12.09, 13.19)},
    (MERCURY, SFT): {
        PASSING: _at(_TO_8, 58.98, 58.98, 59.77, 60.55, 60.55),
        BEYOND_T: _at(_TO_8, 26.28, 26.95, 27.43, 29.65, 31.42),
    },
    (MERCURY, GRPO): {
        PASSING: _at(_TO_8, 57.42, 59.77, 61.72, 67.19, 69.14),
        BEYOND_T: _at(_TO_8, 25.84, 27.41, 29.50, 32.69, 37.23),
    },
}

# Figure 5, Q4 and Q6 of reviewer ovks ("Code Refinement"): the curve of SFT on Venus, and those of the public tests.
SFT_CURVES: Curves = {
    PASSING: _at(_APPS_AT, 46.00, 46.00, 47.00, 48.33, 48.67, 48.67),
    BEYOND_I: _at(_APPS_AT, 21.01, 21.09, 21.88, 22.31, 22.44, 22.50),
}
FIGURE_5: Mapping[str, Curves] = {SFT: SFT_CURVES, GRPO: PUBLIC_CURVES}
