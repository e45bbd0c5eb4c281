"""Which inputs a sample is taken on: enough to measure, and no more than a person would wait for."""

import pytest

from afterburner.agent.judge.measuring.workbench import affordable
from afterburner.agent.types import WorkloadCase


def chosen(
    costs_s: list[float], measurable_s: float = 0.02, sample_s: float = 0.1, next_to_nothing: float = 0.0
) -> list[float]:
    inputs = [WorkloadCase(str(number), b"", b"", "test", cost_s) for number, cost_s in enumerate(costs_s)]
    return [each.cpu_time_s for each in affordable(inputs, measurable_s, sample_s, next_to_nothing)]


@pytest.mark.parametrize(
    ("costs_s", "taken"),
    [
        ([0.01, 0.02, 0.03], [0.01, 0.02, 0.03]),
        ([0.04, 0.05, 0.03], [0.04, 0.05]),
        ([0.3, 0.1, 0.45], [0.45]),
        ([3.0, 0.5, 0.1], [0.5]),
        ([3.0, 2.0, 0.01], [2.0]),
        ([3.0, 2.0], [2.0]),
        ([0.0, 0.0], [0.0, 0.0]),
    ],
)  # fmt: skip
def test_the_costliest_input_that_is_not_too_dear_is_always_there(costs_s: list[float], taken: list[float]) -> None:
    assert chosen(costs_s) == taken


def test_starting_python_is_not_what_a_program_is_measured_by() -> None:
    assert chosen([2.0, 0.05, 0.05], measurable_s=0.2) == [2.0]


def test_a_fork_is_given_less_to_do_than_a_process_that_has_to_start() -> None:
    assert chosen([0.01, 0.02, 0.03], sample_s=0.025) == [0.03]
    assert chosen([0.01, 0.012, 0.002], sample_s=0.025) == [0.01, 0.012, 0.002]


def test_small_calls_come_along_where_a_large_one_takes_all_of_the_time() -> None:
    """They show what small inputs gain or lose, and cost next to nothing."""
    costs_s = [0.000_001, 0.4, 0.3, 0.015, 0.01]
    assert chosen(costs_s, sample_s=0.025) == [0.4]
    assert chosen(costs_s, sample_s=0.025, next_to_nothing=0.05) == [0.000_001, 0.4, 0.015]
