"""The table of the summary, and the line above it where a claim is not proven."""

from __future__ import annotations

from documents import different, document, function, nothing, slower

from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.formats.phrases import headline
from afterburner.ci_action.report.document import Decision, Mode


def table_of(text: str) -> list[list[str]]:
    """The cells of the table, row by row."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


def test_a_column_in_which_nothing_stands_is_left_out() -> None:
    report = document(slower(figures=None), mode=Mode.REGRESSIONS)
    titles, _, row = table_of(summary(report, Surroundings()))
    assert titles == ["function", "result", "share of the profile"]
    assert row[1:] == ["**slower: 2.00x of the time (1.92x to 2.08x)**", "90%"]
    titles, rule, *rows = table_of(summary(document(function(), function(name="total", figures=None)), Surroundings()))
    assert titles == ["function", "result", "peak memory", "share of the profile", "rewrite"]
    assert rule == ["---"] * 5
    assert [(row[2], row[4]) for row in rows] == [
        ("14.5 → 14.6 MiB", "patch below, <code>receipts/01-common.json</code>"),
        ("-", "too large for a comment: see the report"),
    ]
    assert table_of(summary(nothing(), Surroundings())) == []


def test_a_small_share_of_the_profile_is_not_shown_as_none() -> None:
    shares = {0.9: "90%", 0.0996: "10%", 0.064: "6.4%", 0.004: "0.4%", 0.001: "0.1%", 0.0004: "<0.1%", 0.0: "0%"}
    for share, shown in shares.items():
        _, _, row = table_of(summary(document(function(share=share)), Surroundings()))
        assert row[3] == shown


def test_a_claim_that_holds_only_on_a_condition_is_not_proven() -> None:
    conditional = different("common", decision=Decision.CONDITIONAL)
    faster = function(name="total", decision=Decision.FASTER, rewrite=None)
    report = document(faster, conditional, mode=Mode.PROVE)
    assert headline(report) == "Not proven: 1 function is the same only on a condition"
    assert headline(document(conditional, different(), mode=Mode.PROVE)).endswith(
        "1 function is different in behaviour"
    )
    assert headline(document(faster, mode=Mode.PROVE)) == "Proven: 1 of 1 changed function faster"


def test_each_bar_of_the_chart_has_a_row_with_a_label_of_its_own() -> None:
    """Mermaid draws two bars of one label over each other."""
    report = document(function(), function(file="other.py"), function(file="third.py"))
    text = summary(report, Surroundings())
    labels = [f'"{name} {when}"' for name in ("common", "common (2)", "common (3)") for when in ("before", "after")]
    assert "\nxychart-beta horizontal\n" in text
    assert f"    x-axis [{', '.join(labels)}]\n" in text
    assert '"height": 258' in text
