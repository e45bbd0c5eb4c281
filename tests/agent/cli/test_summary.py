"""The report for people."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from afterburner.agent.cli.offer import weigh
from afterburner.agent.cli.summary import print_diff, print_summary
from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.page.run_section import section_of_run
from afterburner.agent.types import Objective, WrittenCalls

from ..evidence.conftest import GROWTH  # noqa: TID252 - the same hand-made evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.loop.results import RunResult

    Render = Callable[..., str]


def test_an_improvement_shows_its_proof_its_cost_and_why_the_others_were_refused(
    improved: RunResult, render: Render
) -> None:
    text = render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))
    for shown in (
        "1.1", "rules: rule-4", "wrong answer", "not run", "not better",  # candidates
        "1.2 wrong: call 3: returned 4 instead of 5", "for example total([1, 1]) returned 4 instead of 5",
        "1.3 refused: the same code as 1.1",  # why not
        "1.60 s", "200 ms", "8.00x", "7.50x to 8.60x", "20.0 MiB", "memory integral",  # before and after
        "9 captured from __main__", "3 doctest", "a lambda cannot be copied",  # the workload
        "4 inputs that selection never saw, passed, gain 7.90x",
        "Quick CPU", "bubblewrap 0.8.0", "rlimits",
        "-    seen = []", "+    seen = set()",
        "2 lines added, 1 removed, 0 branches added, gain per added line 3.5",
        "Improved", "CPU time improved 8.00x",
    ):  # fmt: skip
        assert shown in text, shown
    assert "1.1 improved:" not in text


def test_what_was_right_stands_in_one_table_against_the_original(improved: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))
    table = text[text.index("Gains over the original:") :].split("\n\n")[0]
    assert [line.rstrip().split(maxsplit=2) for line in table.splitlines()[2:]] == [
        ["1.1", "8.00x", "offered"],
        ["1.4", "1.01x", "the same on the workload, but the gain is not proven"],
    ]


@pytest.mark.parametrize(
    "shows", ["returned 4 instead of 5 (first difference at [0])", "did not come to an end: it reached the time limit"]
)
def test_what_a_long_call_shows_stands_in_the_first_two_lines(improved: RunResult, render: Render, shows: str) -> None:
    call = f"total('(a) left b' * {', '.join(map(str, range(500)))})"
    wrong = replace(improved.candidates[1], counterexample=f"{call} {shows}")
    result = replace(improved, candidates=(improved.candidates[0], wrong))
    lines = render(lambda console: print_summary(console, result, weigh(result, 0.0)), width=80).splitlines()
    [at] = [number for number, line in enumerate(lines) if "for example total(" in line]
    told = " ".join(line.strip() for line in lines[at : at + 2])
    assert shows in told
    assert "…" in told


def test_a_candidate_that_was_not_confirmed_is_not_called_right(improved: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))
    assert "right" not in text.lower()


def test_a_gain_that_is_measured_at_one_size_alone_stands_with_the_growth(improved: RunResult, render: Render) -> None:
    points = (GrowthPoint(100, 0.001, 0.0005), GrowthPoint(4000, 0.38, 0.01))
    result = replace(improved, evidence=Evidence(Growth("len(rows)", points)))
    text = render(lambda console: print_summary(console, result, weigh(result, 0.0)))
    told = [line.rstrip() for line in text.splitlines() if "38.0x" in line]
    assert told == [
        "Growth       38.0x where len(rows) is 4,000: one made call, the quickest of a few runs, not tested"
    ]


def test_the_candidates_of_later_rounds_say_what_their_gains_are_over(improved: RunResult, render: Render) -> None:
    note = "\nEach gain is over the best version before its round; before round 1 that is the original.\n"
    assert note not in render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))
    later = replace(improved.candidates[0], id="2.1", iteration=2)
    result = replace(improved, candidates=(*improved.candidates, later))
    assert note in render(lambda console: print_summary(console, result, weigh(result, 0.0)))


def test_a_gain_in_another_figure_than_the_objectives_names_it(improved: RunResult, render: Render) -> None:
    slower = replace(improved.candidates[-1], reason="CPU time rose to 1.09x, measured twice", figure="wall time")
    result = replace(improved, candidates=(*improved.candidates[:-1], slower))
    lines = render(lambda console: print_summary(console, result, weigh(result, 0.0)), 200).splitlines()
    told = [line.split()[1:4] for line in lines if line.startswith("1.4 ")]
    assert told == [["rules:", "rule-4", "accepted"], ["1.01x", "(wall", "time)"]]
    assert sum("1.01x (wall time)" in line for line in lines) == 2
    assert sum("8.00x (" in line for line in lines) == 0
    assert section_of_run(result).candidates[-1].gain == "1.01x (wall time)"


def test_growth_is_told_with_the_calls_that_it_is_of(improved: RunResult, render: Render) -> None:
    result = replace(improved, evidence=Evidence(replace(GROWTH, like="total([1, 2, …])")))
    text = render(lambda console: print_summary(console, result, weigh(result, 0.0)), width=200)
    assert ", of calls like total([1, 2, …]); calls of another kind may grow in another way\n" in text


def test_an_answer_that_broke_the_format_says_so_behind_its_proposer(improved: RunResult, render: Render) -> None:
    forms = ("no tags, prose around", "strict", "", "truncated")
    candidates = tuple(
        replace(each, proposer=f"m/{n}", answer_form=form)
        for n, (each, form) in enumerate(zip(improved.candidates, forms, strict=True))
    )
    result = replace(improved, candidates=candidates)
    text = render(lambda console: print_summary(console, result, weigh(result, 0.0)), width=200)
    assert "m/0 (no tags, prose around)" in text
    assert "m/3 (truncated)" in text
    assert "strict" not in text
    assert "m/2 " in text


def test_without_an_improvement_there_is_no_diff_and_no_after(unimproved: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, unimproved, weigh(unimproved, 0.0)))
    assert "No improvement" in text
    assert unimproved.summary in text
    assert "@@" not in text
    assert "It costs" not in text
    assert "1.2 wrong: call 3: returned 4 instead of 5" in text


def test_a_rewrite_below_the_threshold_is_shown_with_the_reason(improved: RunResult, render: Render) -> None:
    text = render(lambda console: print_summary(console, improved, weigh(improved, 100.0)))
    assert "not offered: gain per added line 3.5 is below --min-gain-per-line 100" in text
    assert "+    seen = set()" in text


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_nothing_but_the_diff_is_wider_than_the_terminal(improved: RunResult, render: Render, width: int) -> None:
    long = replace(improved, summary="word " * 60, patch="", skipped=())
    text = render(lambda console: print_summary(console, long, weigh(long, 0.0)), width)
    assert max(len(line) for line in text.splitlines()) <= width


def test_lines_of_the_diff_are_never_wrapped_or_cut(render: Render) -> None:
    line = "+" + "x" * 300
    assert line in render(lambda console: print_diff(console, f"--- a\n+++ b\n@@ -0,0 +1 @@\n{line}\n"), 40)


def test_the_diff_colours_lines_by_what_they_do_even_if_they_look_like_headers() -> None:
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", markup=False, highlight=False)
    print_diff(console, "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n--- sql comment\n+++ counter\n same\n")
    lines = stream.getvalue().splitlines()
    assert "\x1b[31m--- sql comment" in lines[3]
    assert "\x1b[32m+++ counter" in lines[4]
    assert lines[5] == " same"


def test_foreign_text_cannot_drive_the_terminal_or_the_markup(improved: RunResult, render: Render) -> None:
    evil = "\x1b]0;owned\x07[red]x[/red]\u202e"
    candidate = replace(improved.candidates[1], reason=evil, proposer=evil)
    hostile = replace(improved, patch=improved.patch.replace("known", evil), summary=evil, candidates=(candidate,))
    text = render(lambda console: print_summary(console, hostile, weigh(hostile, 0.0)), 200)
    assert not any(character in text for character in "\x1b\x07\u202e")
    assert text.count("\\x1b]0;owned\\x07[red]x[/red]\\u202e") >= 4


def test_files_with_crlf_show_a_clean_diff(render: Render) -> None:
    text = render(lambda console: print_diff(console, "--- a\n+++ b\n@@ -1 +1 @@\n-a\r\n+b\r\n"))
    assert text.splitlines()[-2:] == ["-a", "+b"]


@pytest.mark.parametrize(
    ("objective", "row"), [("time", "CPU time"), ("memory", "peak memory"), ("integral", "memory integral")]
)
def test_the_interval_stands_beside_the_figure_of_the_objective(
    improved: RunResult, render: Render, objective: str, row: str
) -> None:
    result = replace(improved, objective=Objective(objective), candidates=(), patch="")
    text = render(lambda console: print_summary(console, result, weigh(result, 0.0)))
    with_interval = [line for line in text.splitlines() if line.endswith("7.50x to 8.60x")]
    assert len(with_interval) == 1
    assert with_interval[0].startswith(row)


def test_the_row_of_the_objective_shows_the_gain_that_is_announced(improved: RunResult, render: Render) -> None:
    uneven = replace(improved, best=replace(improved.best, cpu_time_s=0.21), candidates=(), patch="")
    text = render(lambda console: print_summary(console, uneven, weigh(uneven, 0.0)))
    row = next(line for line in text.splitlines() if line.startswith("CPU time"))
    assert row.split()[-4:] == ["8.00x", "7.50x", "to", "8.60x"]


def test_what_the_user_should_know_of_the_target_is_told(improved: RunResult, render: Render) -> None:
    twice = replace(improved, target=replace(improved.target, notes=("total is defined 2 times.",)))
    text = render(lambda console: print_summary(console, twice, weigh(twice, 0.0)))
    assert "Note         total is defined 2 times." in text


def test_calls_that_a_model_wrote_are_shown_with_its_name(improved: RunResult, render: Render) -> None:
    code = "total([1])\n" + "total([2])\x1b[2J\n" * 30
    written = replace(improved, written=WrittenCalls("openai/m", code.strip("\n")))
    text = render(lambda console: print_summary(console, written, weigh(written, 0.0)))
    assert "Calls written by openai/m, as nothing calls the function:\n    total([1])\n" in text
    assert "total([2])\\x1b[2J\n    … 7 more lines; --json has them all" in text
    assert "Calls written by" not in render(lambda console: print_summary(console, improved, weigh(improved, 0.0)))


def test_long_lists_are_counted_not_printed(improved: RunResult, render: Render) -> None:
    many = replace(
        improved,
        workload_origins=tuple((f"case c{number}", 2) for number in range(100)),
        skipped=improved.skipped * 50,
    )
    text = render(lambda console: print_summary(console, many, weigh(many, 0.0)))
    assert "2 case c7, 184 more" in text
    assert text.count("a lambda cannot be copied") == 8
    assert "42 more; --json lists them all" in text
