"""A run whose rewrites are the same only on a condition: its user learns the condition, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from editor_client import VS_CODE

from afterburner.agent.types import Decision, Gain, JudgedCandidate
from afterburner.lsp_server.conditions import conditions_of
from afterburner.lsp_server.offers import Offer, Offers
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from editor_client import StartEditor

    from afterburner.agent.loop.results import RunResult

DEDUPE = """\
def dedupe(rows):
    found = []
    for row in rows:
        if row not in found:
            found.append(row)
    return found


if __name__ == "__main__":
    for size in (300, 600, 900):
        dedupe([*range(size), *map(str, range(size)), *range(size)])
"""
FUNCTION_LINE = 2


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
def test_the_log_and_the_report_have_the_condition_and_the_remedy(start_editor: StartEditor, project: Path) -> None:
    path = project / "rows.py"
    path.write_text(DEDUPE)
    editor = start_editor(VS_CODE, settings={"iterations": 1, "max_seconds": 120}, initial={"trusted": True})
    uri = editor.open(path)
    editor.choose(editor.actions(uri, FUNCTION_LINE)["time"])
    said = editor.wait("window/showMessage")["message"]
    assert "nothing is offered" in said
    assert "The log has the condition, and what you can do." in said
    logged = editor.wait("window/logMessage", lambda params: said in params["message"])["message"]
    condition, example, remedy = logged.splitlines()[1:]
    assert "the same provided that" in condition
    assert 'state it with the setting "afterburner.assume": ["' in condition
    assert example.startswith("    for example dedupe(")
    assert "`Requires:` in the docstring" in remedy
    editor.request(
        "workspace/executeCommand",
        {"command": "afterburner.report", "arguments": [{"uri": uri, "function": "dedupe"}]},
    )
    page = Path(editor.wait("window/showDocument")["uri"].removeprefix("file://")).read_text("utf-8")
    assert "<h1>dedupe</h1>" in page
    assert "the same provided that" in page
    assert " instead of " in page, "the example"


def test_each_condition_is_told_with_a_call_that_breaks_it_and_the_remedy() -> None:
    gain = Gain(9.0, 8.0, 10.0, 0.95, 15)
    slow = JudgedCandidate("1.1", 1, "rules", Verdict.ACCEPTED, Decision.NOT_BETTER, "worse: 0.50x")
    right = replace(
        slow,
        id="1.2",
        decision=Decision.CONDITIONAL,
        reason="9.00x, the same provided that `rows` ascends",
        gain=gain,
        counterexample="f([1, 0]) returned 1 instead of 0",
    )

    def told(*candidates: JudgedCandidate) -> list[str]:
        return conditions_of(cast("RunResult", SimpleNamespace(candidates=candidates))).splitlines()

    assert not told(slow)
    condition, example, remedy = told(slow, right)
    assert condition == "Candidate 1.2 (rules): 9.00x, the same provided that `rows` ascends"
    assert example == "    for example f([1, 0]) returned 1 instead of 0"
    assert all(way in remedy for way in ("type hint", "`Requires:`", "afterburner.assume"))


def test_the_report_is_of_the_latest_run_unless_the_text_has_an_earlier_rewrite() -> None:
    original, rewrite = "def f():\n    return 1\n", "def f():\n    return 2\n"
    uri, offers = "file:///shop.py", Offers()
    first, second, third = (cast("RunResult", SimpleNamespace(run_id=f"2026010{day}-000000-aaaaaa")) for day in "123")
    assert offers.result(uri, "f", original) is None
    offers.keep(Offer(uri, first, "f", original, rewrite, original, rewrite))
    assert offers.result(uri, "f", original) is first
    offers.keep_without(uri, "f", second)
    assert offers.result(uri, "f", original) is second
    assert offers.result(uri, "f", rewrite) is first, "its lens stands above it"
    offers.keep(Offer(uri, third, "f", original, rewrite, original, rewrite))
    assert offers.result(uri, "f", original) is third
    offers.forget(uri)
    assert offers.result(uri, "f", original) is None
