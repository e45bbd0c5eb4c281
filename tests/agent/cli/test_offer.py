"""`--min-gain-per-line` turns an offer into a mere display."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.cli.offer import weigh
from afterburner.agent.types import Readability

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult


def test_an_improvement_is_offered_down_to_the_threshold(improved: RunResult) -> None:
    # 8x with two added lines: (8 - 1) / 2
    assert weigh(improved, 0.0).offered
    assert weigh(improved, 3.5).offered
    assert weigh(improved, 3.5).gain_per_line == 3.5


def test_below_the_threshold_it_is_only_shown_and_the_reason_has_both_figures(improved: RunResult) -> None:
    offer = weigh(improved, 3.6)
    assert not offer.offered
    assert "3.5" in offer.reason
    assert "3.6" in offer.reason


def test_a_rewrite_that_adds_no_line_costs_nothing(improved: RunResult) -> None:
    shorter = replace(improved, readability=Readability(lines_added=0, lines_removed=4, branches_added=-1))
    offer = weigh(shorter, 1000.0)
    assert offer.offered
    assert offer.gain_per_line is None


def test_nothing_is_offered_without_an_improvement(unimproved: RunResult) -> None:
    offer = weigh(unimproved, 0.0)
    assert not offer.offered
    assert offer.reason == unimproved.summary
