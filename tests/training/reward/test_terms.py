"""The paper's equations, in its units, and the variants against noise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterburner.agent.types import Objective
from afterburner.evals.problems import Figures
from afterburner.evals.running.measure import Measured
from afterburner.sandbox import UsageError, Verdict
from afterburner.training.reward.series import figures_of_passing
from afterburner.training.reward.settings import Counted, RewardSettings, Shape
from afterburner.training.reward.terms import CLIPS, Side, Terms, failing, reward_terms

TIME = Objective.TIME
FIGURES = st.floats(1e-6, 1e9)
SETTINGS = st.builds(RewardSettings, shape=st.sampled_from(Shape), noise_floor=st.floats(0, 0.9))
PAPER = RewardSettings()


def terms(before: Side, after: Side, settings: RewardSettings = PAPER, **told: object) -> Terms:
    known = {"strict": True, "progress": 0.0, **told}
    return reward_terms(before, after, TIME, settings, **known)  # type: ignore[arg-type]


def passing(figure: float) -> Side:
    return Side(passed=True, figure=figure)


@pytest.mark.parametrize(
    ("before", "after", "strict", "progress", "expected"),
    [
        (passing(2.0), passing(1.0), True, 0.0, 0.2 + 0.25 + 0.3 * math.tanh(0.5)),
        (passing(2.0), passing(1.0), True, 1.0, 0.2 + 0.25 + 0.5 * math.tanh(0.5)),
        (passing(2.0), passing(1.0), True, 0.5, 0.2 + 0.25 + 0.4 * math.tanh(0.5)),
        (passing(1.0), passing(3.0), True, 0.0, 0.2 + 0.25 + 0.3 * math.tanh(-2.0)),
        (failing(TIME), passing(45.0), True, 0.0, 0.2 + 0.5 + 0.3 * math.tanh(0.5)),
        (passing(1.0), failing(TIME), True, 1.0, 0.2 - 0.5),  # the slowest of all would count against it twice
        (failing(TIME), failing(TIME), True, 1.0, 0.2 - 0.25),
        (failing(TIME), failing(TIME), False, 1.0, -0.2 - 0.25),
        (passing(1.0), failing(TIME), False, 0.0, -0.2 - 0.5),
    ],
)
def test_the_reward_is_what_the_equations_say(
    before: Side, after: Side, strict: bool, progress: float, expected: float
) -> None:
    found = terms(before, after, strict=strict, progress=progress)
    assert found.total == pytest.approx(expected, abs=1e-8)
    assert found.efficiency_weight == pytest.approx(0.3 + 0.2 * progress)


@pytest.mark.parametrize(("objective", "clip"), [("time", 90.0), ("memory", 2.0**20), ("integral", 90.0 * 2**20)])
def test_figures_are_clipped_in_seconds_and_kib(objective: str, clip: float) -> None:
    """Ten times the limit counts as the limit. With a clip of 90 for milliseconds, every figure would."""
    known = Objective(objective)
    assert CLIPS[known] == clip
    beyond = Side(passed=True, figure=10 * clip)
    half = Side(passed=True, figure=clip / 2)
    found = reward_terms(beyond, half, known, PAPER, strict=True, progress=0)
    assert found.efficiency == pytest.approx(math.tanh(0.5))
    assert reward_terms(beyond, beyond, known, PAPER, strict=True, progress=0).efficiency == 0


@given(FIGURES, FIGURES, st.floats(-1, 2), st.booleans(), SETTINGS)
def test_the_reward_is_bounded_and_grows_as_the_figure_falls(
    before: float, after: float, progress: float, strict: bool, settings: RewardSettings
) -> None:
    found = terms(passing(before), passing(after), settings, strict=strict, progress=progress)
    assert -1 <= found.efficiency <= 1
    assert 0.3 <= found.efficiency_weight <= 0.5
    assert abs(found.total) <= 0.2 + 0.5 + 0.5
    better = terms(passing(before), passing(after / 2), settings, strict=strict, progress=progress)
    assert better.total >= found.total
    fails = terms(passing(before), failing(TIME), settings, strict=strict, progress=progress)
    assert fails.correctness < found.correctness
    assert fails.efficiency == 0


def test_within_the_noise_floor_nothing_counts_and_beyond_it_the_rest_does() -> None:
    settings = RewardSettings(noise_floor=0.05)
    assert terms(passing(1.0), passing(0.96), settings).efficiency == 0
    assert terms(passing(1.0), passing(1.04), settings).efficiency == 0
    assert terms(passing(1.0), passing(0.75), settings).efficiency == pytest.approx(math.tanh(0.2))
    assert terms(passing(1.0), passing(1.25), settings).efficiency == pytest.approx(math.tanh(-0.2))


def test_the_log_ratio_tells_ten_times_from_twice_and_treats_both_directions_alike() -> None:
    settings = RewardSettings(shape=Shape.LOG_RATIO)
    assert terms(passing(10.0), passing(1.0), settings).efficiency == pytest.approx(1.0)
    assert terms(passing(2.0), passing(1.0), settings).efficiency == pytest.approx(math.log10(2))
    assert terms(passing(1.0), passing(2.0), settings).efficiency == pytest.approx(-math.log10(2))
    assert terms(passing(50.0), passing(0.001), settings).efficiency == 1
    with_floor = RewardSettings(shape=Shape.LOG_RATIO, noise_floor=0.1)
    assert terms(passing(1.05), passing(1.0), with_floor).efficiency == 0
    assert terms(passing(2.2), passing(1.0), with_floor).efficiency == pytest.approx(math.log10(2))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"format_weight": -1.0}, "format_weight -1.0"),
        ({"efficiency_weight_last": math.nan}, "efficiency_weight_last nan"),
        ({"noise_floor": 1.0}, "noise_floor 1.0"),
        ({"repeats": 0}, "repeats 0"),
        ({"baseline_repeats": 0}, "baseline_repeats 0"),
    ],
)
def test_settings_out_of_bounds_are_refused(told: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RewardSettings(**told)  # type: ignore[arg-type]


@pytest.mark.parametrize(("counted", "expected"), [(Counted.MEDIAN, (2.0, 300.0)), (Counted.MINIMUM, (1.0, 100.0))])
def test_of_several_measurements_the_median_counts_or_the_least(
    counted: Counted, expected: tuple[float, float]
) -> None:
    """Each figure by itself. A code that failed once has none, however well it did otherwise."""
    used = [
        Figures(time_s, time_s, peak_kib, time_s) for time_s, peak_kib in ((9.0, 100.0), (1.0, 300.0), (2.0, 900.0))
    ]
    measured = [Measured("right", at, at, Verdict.ACCEPTED, "", each, ()) for at, each in enumerate(used)]
    measured += [Measured("wrong", 0, 3, Verdict.ACCEPTED, "", used[1], ())]
    measured += [Measured("wrong", 1, 4, Verdict.WRONG_ANSWER, "line 1", None, ())]
    found = figures_of_passing(measured, counted)
    assert found.keys() == {"right"}
    assert (found["right"].wall_time_s, found["right"].peak_memory_kib) == expected
    assert found["right"].memory_integral_kib_s == expected[0]


@pytest.mark.parametrize("counts", [{"repeats": 3}, {"repeats": 3, "baseline_repeats": 3}, {"anchor_repeats": 1}])
def test_the_least_is_taken_of_equally_many_alone(counts: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=r"Set baseline_repeats to \d, as repeats, and anchor_repeats to 1"):
        RewardSettings(counted=Counted.MINIMUM, **counts)
    assert RewardSettings(counted=Counted.MINIMUM, repeats=3, baseline_repeats=3, anchor_repeats=1)
