"""The table of a run over many targets, and what stands below it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from afterburner.agent.batch.batch_results import TOO_LITTLE_TIME, ManyResult, Outcome
from afterburner.agent.batch.members import told_of_member
from afterburner.agent.cli.many import how_to_find_more
from afterburner.agent.cli.many_summary import print_many
from afterburner.agent.cli.pages import page_of_many
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.models.requests.spending import SHARE_IS_UP, TIME_IS_UP

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

    Render = Callable[..., str]

REASON = (
    "shop/report.py: no usable calls of total were found. Tried:\n  - captured from __main__: nothing called it\n"
    "  - doctest: there is none\nGive calls with --calls FILE.py."
)


@pytest.fixture
def many(settings: RunSettings) -> ManyResult:
    target = RankedTarget("shop/report.py", "total", 1.0, 0.5, 3, ())
    return ManyResult(Path("shop"), settings, "20260101-120000-abcdef", outcomes=[Outcome(target, "failed", REASON)])


def test_a_list_of_reasons_stands_below_the_table(many: ManyResult, render: Render) -> None:
    text = render(lambda console: print_many(console, many, {}), width=200)
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[1].endswith("shop/report.py: no usable calls of total were found.")
    at = lines.index("Why not total:")
    assert lines[at + 1 : at + 4] == [
        "  - captured from __main__: nothing called it",
        "  - doctest: there is none",
        "Give calls with --calls FILE.py.",
    ]
    assert "  - doctest: there is none\n" in page_of_many(many)


def test_what_was_profiled_is_told_where_nothing_passed(many: ManyResult, render: Render) -> None:
    many.survey_note = "`python -m unittest discover` was profiled, and nothing passed.\npytest is not installed."
    text = render(lambda console: print_many(console, many, {}), width=200)
    assert many.survey_note in "\n".join(line.rstrip() for line in text.splitlines())
    assert "was profiled, and nothing passed.\npytest is not installed." in page_of_many(many)


def test_a_function_whose_share_of_the_time_was_over_is_not_told_that_all_of_it_was(many: ManyResult) -> None:
    result = SimpleNamespace(improved=False, candidates=(), summary=f"nothing is offered: no rule fits; {TIME_IS_UP}")
    told = told_of_member(cast("RunResult", result))
    assert told == "nothing is offered: no rule fits; its share of the time for the search (--max-seconds) is up"
    many.outcomes.append(Outcome(many.outcomes[0].target, "no_improvement", told))
    assert how_to_find_more(many).startswith(
        "To find more: --max-seconds S gives each function a larger share; or `run FILE -f NAME` gives one all of it;"
    )


def test_the_page_calls_the_time_of_a_function_its_share(many: ManyResult, unimproved: RunResult) -> None:
    late = replace(unimproved, summary=f"nothing is offered: no rule fits; {TIME_IS_UP}", ended_early=TIME_IS_UP)
    many.outcomes[:] = [Outcome(many.outcomes[0].target, "no_improvement", "", many.settings, late)]
    page = page_of_many(many)
    assert f"no rule fits; {SHARE_IS_UP}" in page
    assert f"the search ended early: {SHARE_IS_UP}" in page
    assert page.count(TIME_IS_UP) == page.count(SHARE_IS_UP)


def test_where_the_time_was_too_short_more_of_it_is_the_first_advice(many: ManyResult) -> None:
    assert how_to_find_more(many).startswith("To find more: --top N")
    late = RankedTarget("shop/report.py", "mean", 1.0, 0.5, 3, ())
    many.outcomes.append(Outcome(late, "not_reached", TOO_LITTLE_TIME))
    assert how_to_find_more(many).startswith(
        "To find more: --max-seconds S gives those that were not reached their time; --top N"
    )
