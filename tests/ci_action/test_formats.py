"""The report in the forms that people and programs read."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from documents import different, document, function, interrupted, nothing, slower
from markdown_it import MarkdownIt

from afterburner.agent.judge.two_sided import against_before
from afterburner.ci_action.formats.inert import code, fenced, prose
from afterburner.ci_action.formats.junit import junit
from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.formats.phrases import explained, has_something_to_say, headline, verdict
from afterburner.ci_action.formats.sarif import sarif
from afterburner.ci_action.outputs import text_report
from afterburner.ci_action.report.document import CiDocument, Decision, GainPart, LeftOutPart, LossPart, Mode

if TYPE_CHECKING:
    from typing import Any

HOSTILE = [
    "@octocat look",
    "see #12 and GH-12 and octo/shop#3",
    "http://evil.example and https://evil.example/x?a=b and www.evil.example",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "<!-- afterburner-agent: summary -->",
    "--> <b>bold</b> <!--",
    "```\n## Approved by the maintainers\n```",
    "`code` *em* **strong** __strong__ ~~gone~~",
    "a | b\n| --- | --- |\n| c | d |",
    "# heading\n- list\n> quote\n1. one",
    "&lt;b&gt; &#64;octocat &amp;",
    "\x1b[31mred\x1b[0m \u202egnp.exe \u200b",
    "::set-output name=x::y\n##[add-path]/evil",
    "</details></summary></code></td></table>",
    "\\`escaped\\` \\",
    "octocat@example.org",
]


def rendered(markdown: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", [code, prose])
def test_foreign_text_is_shown_and_does_nothing(text: str, form: Any) -> None:
    before = rendered("| a | b |\n| --- | --- |\n| X | Y |\n\n- X\n")
    page = rendered(f"| a | b |\n| --- | --- |\n| {form(text)} | Y |\n\n- {form(text)}\n")
    tags = re.findall(r"<[^>]*>", page)
    assert [tag for tag in tags if tag not in ("<code>", "</code>")] == re.findall(r"<[^>]*>", before)
    shown = html.unescape(page)
    outside_code = re.sub(r"<code>.*?</code>", "", shown, flags=re.DOTALL)
    assert not re.search(r"@\w|#\d|\bGH-\d|\bwww\.\w", outside_code)
    assert "http:" not in form(text)
    assert "https:" not in form(text)
    assert "\x1b" not in page


def test_a_code_block_cannot_be_ended_from_inside() -> None:
    for text in ("```\nfree\n```\n", "`````` and ```", "~~~\n", "no newline", "\r```\r"):
        page = rendered(f"{fenced(text, 'suggestion')}\nbehind\n")
        assert page.count("<pre>") == 1
        assert page.rstrip().endswith("<p>behind</p>")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_report_is_one_inert_comment(text: str) -> None:
    line = " ".join(text.split())[:300]
    report = document(
        function(file=f"shop/{re.sub(r'[^a-z <>@#`|*]', '', line) or 'x'}.py", reason=line, evidence=[line, line]),
        different(reason=line),
        left_out=[LeftOutPart(file="a`b|<img src=x>.py", function=None, reason=line)],
        notes=[line],
        model=line,
        machine=line,
        tests=line,
    )
    page = rendered(summary(report, Surroundings(blob_url="https://github.example/octo/shop/blob/1")))
    allowed = {"a", "code", "details", "em", "h2", "hr", "li", "p", "pre", "strong", "sub", "summary"}
    allowed |= {"table", "tbody", "td", "th", "thead", "tr", "ul"}
    tags = re.findall(r"</?([a-zA-Z0-9]+)", page)
    assert set(tags) <= allowed
    assert all(
        link.startswith("https://github.example/octo/shop/blob/1/shop/") for link in re.findall(r'href="([^"]*)"', page)
    )
    assert page.count("<details>") == page.count("</details>") == 2
    assert "<!--" not in page


BEYOND = LeftOutPart(file="shop.py", function="last", reason="--max-functions is 1", beyond_max_functions=True)


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (document(), "1 function of this pull request can be faster"),
        (document(function(), function(name="total")), "2 functions of this pull request can be faster"),
        (document(objective="memory"), "1 function of this pull request can use less memory"),
        (document(mode=Mode.SCHEDULE), "1 function can be faster"),
        (nothing(), "No faster rewrite was found"),
        (document(slower(), mode=Mode.REGRESSIONS), "1 function is slower than at the base"),
        (
            document(different(), mode=Mode.REGRESSIONS),
            "No answer for 1 changed function",
        ),
        (
            document(function(decision=Decision.CONDITIONAL), mode=Mode.REGRESSIONS),
            "No slow-down was found in 1 changed function",
        ),
        (
            document(mode=Mode.REGRESSIONS, functions=[]),
            "No function that both commits have was changed in a file that counts",
        ),
        (document(function(decision=Decision.FAILED)), "No changed function was looked at"),
        (
            document(functions=[], left_out=[LeftOutPart(file="a.py", function="f", reason="no call of it was seen")]),
            "No changed function was looked at",
        ),
        (
            document(
                mode=Mode.PROVE,
                functions=[],
                left_out=[LeftOutPart(file="a.py", function=None, reason="it is not the file of the commit")],
            ),
            "Nothing could be compared",
        ),
        (document(function(decision=Decision.FASTER), mode=Mode.PROVE), "Proven: 1 of 1 changed function faster"),
        (
            document(function(decision=Decision.FASTER), different(), mode=Mode.PROVE),
            "Not proven: 1 function is different in behaviour",
        ),
        (document(slower(), slower("common"), mode=Mode.PROVE), "Not proven: 2 functions are slower"),
        (document(function(decision=Decision.SAME), mode=Mode.PROVE), "Not proven: no function is faster"),
        (
            document(
                function(decision=Decision.TOO_NOISY, cut_short=True),
                interrupted(decision=Decision.NOT_REACHED),
                function(decision=Decision.SAME),
                mode=Mode.PROVE,
            ),
            "Not proven: the time ended before 2 functions were decided",
        ),
        (
            document(
                function(decision=Decision.TOO_NOISY),
                interrupted(decision=Decision.NOT_REACHED, cut_short=True),
                mode=Mode.PROVE,
            ),
            "Not proven: the time ended before 1 function was decided, and there is no answer for 1 more",
        ),
        (
            document(function(decision=Decision.TOO_NOISY), mode=Mode.PROVE),
            "Not proven: no answer for 1 changed function",
        ),
        (
            document(interrupted(), interrupted("common"), mode=Mode.REGRESSIONS, interrupted=True),
            "The run was interrupted before there was an answer for 2 changed functions",
        ),
        (
            document(slower(), interrupted("common"), mode=Mode.REGRESSIONS, interrupted=True),
            (
                "1 function is slower than at the base; "
                "the run was interrupted before there was an answer for 1 changed function"
            ),
        ),
        (document(mode=Mode.SCHEDULE, functions=[], interrupted=True), "The run was interrupted"),
        (
            document(
                function(decision=Decision.TOO_NOISY, cut_short=True), mode=Mode.REGRESSIONS, left_out=[BEYOND, BEYOND]
            ),
            "No answer for 1 changed function; 2 more were left out by --max-functions",
        ),
        (
            document(interrupted(), mode=Mode.PROVE, interrupted=True, left_out=[BEYOND]),
            (
                "The run was interrupted before there was an answer for 1 changed function; "
                "1 more was left out by --max-functions"
            ),
        ),
        (
            document(function(decision=Decision.FASTER), mode=Mode.PROVE, left_out=[BEYOND]),
            "Proven: 1 of 1 changed function faster; 1 more was left out by --max-functions",
        ),
        (
            document(
                function(decision=Decision.NO_IMPROVEMENT, gain=None, rewrite=None, cut_short=True),
                interrupted(decision=Decision.NOT_REACHED),
            ),
            "No faster rewrite was proven: the time ended before 2 functions were decided",
        ),
        (
            document(
                function(decision=Decision.FAILED, gain=None, rewrite=None),
                interrupted(decision=Decision.NOT_REACHED, cut_short=True),
            ),
            (
                "No faster rewrite was proven: the time ended before 1 function was decided, "
                "and there is no answer for 1 more"
            ),
        ),
    ],
)
def test_the_headline_says_what_was_found(report: CiDocument, said: str) -> None:
    assert headline(report) == said
    assert f"## Afterburner Agent: {said}\n" in summary(report, Surroundings())
    assert text_report(report).startswith(f"{said}.\n")


def test_a_loss_is_told_with_the_largest_inputs_that_were_tried() -> None:
    told = "no slow-down was proven on larger inputs, the largest of them inputs 64 times as large"
    report = document(slower(larger_inputs=told), mode=Mode.REGRESSIONS)
    assert explained(report.functions[0], report) == f"slower: 2.00x of the time (1.92x to 2.08x); {told}"


def test_a_slow_down_is_told_as_how_many_times_the_time() -> None:
    report = document(slower(), mode=Mode.REGRESSIONS)
    assert verdict(report.functions[0], report) == "slower: 2.00x of the time (1.92x to 2.08x)"
    no_end = slower(gain=GainPart(ratio=0.5, low=0.0, high=None, confidence=0.9))
    assert verdict(no_end, report) == "slower: 2.00x of the time"


def test_a_time_that_is_not_cpu_time_is_named_in_every_form() -> None:
    wall = GainPart(ratio=0.5, low=0.48, high=0.52, confidence=0.98, figure="wall time")
    report = document(slower(gain=wall), mode=Mode.REGRESSIONS)
    said = "slower: 2.00x of the wall time (1.92x to 2.08x)"
    for text in (text_report(report), summary(report, Surroundings()), junit(report).decode(), str(sarif(report))):
        assert said in text
    better = function(gain=GainPart(ratio=2.0, low=1.9, high=2.1, confidence=0.98, figure="wall time"))
    assert verdict(better, document(better)) == "2.00x faster in wall time (1.90x to 2.10x)"


def test_a_slow_down_without_figures_is_told_as_one_that_reached_the_time_limit() -> None:
    reason = "AFTER reached the time limit of 2.01 s on total(9), where BEFORE needs 0.4 s for the whole process"
    report = document(slower(gain=None, reason=reason), mode=Mode.REGRESSIONS)
    assert verdict(report.functions[0], report) == "far slower: it reached the time limit"
    assert explained(report.functions[0], report) == f"far slower: {reason}"


def test_only_what_matters_is_worth_a_comment() -> None:
    assert has_something_to_say(document())
    assert not has_something_to_say(nothing())
    assert not has_something_to_say(document(different(), mode=Mode.REGRESSIONS))
    assert has_something_to_say(document(different(), mode=Mode.PROVE))


def test_a_counterexample_is_shown_with_both_answers() -> None:
    text = summary(document(different(), mode=Mode.PROVE), Surroundings())
    assert "total([])\nbefore: returned 0\nafter:  returned None\n" in text


def test_the_chart_shows_before_and_after_of_each_function() -> None:
    text = summary(document(function(), slower(), mode=Mode.PROVE), Surroundings())
    chart = re.search(r"```mermaid\n(.*?)```", text, re.DOTALL)
    assert chart is not None
    assert 'x-axis ["common before", "common after", "total before", "total after"]' in chart[1]
    assert "bar [100.0, 3.1, 50.0, 100.0]" in chart[1]


def test_a_chart_names_the_figure_that_its_gains_are_of() -> None:
    wall = GainPart(ratio=0.5, low=0.48, high=0.52, confidence=0.98, figure="wall time")
    cpu = GainPart(ratio=4.0, low=3.9, high=4.1, confidence=0.98, figure="CPU time")
    text = summary(document(function(gain=cpu), slower(gain=wall), mode=Mode.PROVE), Surroundings())
    assert re.findall(r'title "(.*) before and after.*"\n +x-axis \["(\w+) before"', text) == [
        ("CPU time", "common"),
        ("Wall time", "total"),
    ]
    untold = summary(document(), Surroundings())
    assert 'title "Time before and after' in untold


def test_sarif_says_of_an_interrupted_run_that_it_did_not_succeed() -> None:
    [run] = sarif(document(interrupted(), mode=Mode.REGRESSIONS, interrupted=True))["runs"]
    assert run["results"] == []
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    [told] = invocation["toolExecutionNotifications"]
    assert told["level"] == "error"
    ended = "The run was interrupted before there was an answer for 1 changed function"
    assert told["message"]["text"] == f"{ended}. Without an answer: total"
    [run] = sarif(document())["runs"]
    assert run["invocations"] == [{"executionSuccessful": True}]


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (
            document(interrupted(decision=Decision.TOO_NOISY, cut_short=True), mode=Mode.PROVE),
            "Not proven: the time ended before 1 function was decided. Without an answer: total",
        ),
        (
            document(slower("common"), interrupted(decision=Decision.FAILED), mode=Mode.REGRESSIONS),
            "1 function is slower than at the base; there is no answer for 1 more. Without an answer: total",
        ),
        (
            document(functions=[], left_out=[LeftOutPart(file="a.py", function="f", reason="nothing calls it")]),
            "No changed function was looked at",
        ),
    ],
)
def test_sarif_says_what_has_no_answer(report: CiDocument, said: str) -> None:
    """Without that, a report without results reads as if nothing were slower or different."""
    [run] = sarif(report)["runs"]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert invocation["toolExecutionNotifications"] == [{"level": "warning", "message": {"text": said}}]


@pytest.mark.parametrize(
    "report",
    [
        document(different(), mode=Mode.PROVE),
        document(function(decision=Decision.SAME), mode=Mode.REGRESSIONS),
        nothing(),
    ],
)
def test_sarif_of_a_run_with_all_answers_has_no_notification(report: CiDocument) -> None:
    assert sarif(report)["runs"][0]["invocations"] == [{"executionSuccessful": True}]


def test_sarif_names_lines_and_brings_the_rewrite_as_a_fix() -> None:
    report = document(function(), slower(), function(decision=Decision.SAME, name="total"))
    run = json.loads(json.dumps(sarif(report)))["runs"][0]
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [
        ("faster-rewrite", "note"),
        ("slower", "warning"),
    ]
    assert {each["id"] for each in run["tool"]["driver"]["rules"]} >= {each["ruleId"] for each in run["results"]}
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "shop.py"}, "region": {"startLine": 1, "endLine": 6}}
    [replacement] = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 2, "startColumn": 1, "endLine": 7, "endColumn": 1}
    assert "known = set(right)" in replacement["insertedContent"]["text"]


def test_junit_fails_what_is_slower_and_by_prove_what_is_different() -> None:
    functions = (function(), slower(), different("common", file="a\x01<b>.py"), function(decision=Decision.TOO_NOISY))
    for mode, failures in ((Mode.REGRESSIONS, 1), (Mode.PROVE, 2)):
        suite = ET.fromstring(junit(document(*functions, mode=mode)))[0]  # noqa: S314 - our own
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
            "4",
            str(failures),
            str(3 - failures),
        )
        assert len(suite.findall("testcase/failure")) == failures
        assert suite.findall("testcase")[2].get("classname") == "a?<b>.py"
        message = suite.findall("testcase/failure")[0].get("message")
        assert message == "slower: 2.00x of the time (1.92x to 2.08x)"


def test_a_claim_on_a_condition_passes_in_no_format() -> None:
    claim = function(decision=Decision.CONDITIONAL, gain=None, rewrite=None, reason="the same provided that …")
    for mode in (Mode.PROVE, Mode.REGRESSIONS):
        report = document(claim, different("total"), mode=mode)
        suite = ET.fromstring(junit(report))[0]  # noqa: S314 - our own
        is_claim = mode is Mode.PROVE
        assert (suite.findall("testcase")[0].find("skipped") is not None) == is_claim
        assert [each.function for each in report.unanswered] == [claim.function if is_claim else "total"]
        levels = {each["ruleId"]: each["level"] for each in sarif(report)["runs"][0]["results"]}
        assert levels == ({"conditional": "note", "different": "warning"} if is_claim else {"different": "note"})


def test_a_proof_for_elements_of_the_real_kinds_alone_is_one_on_a_condition() -> None:
    caveat = "it differs on values of kinds that no real call holds, for example f([None]) returned True"
    limited = function(decision=Decision.FASTER, rewrite=None, caveat=caveat, real_kinds_alone=True)
    proven = function(name="total", decision=Decision.FASTER, caveat="only this is known")
    report = document(limited, proven, mode=Mode.PROVE)
    assert report.unanswered == [limited]
    assert not report.has_regressions
    suite = ET.fromstring(junit(report))[0]  # noqa: S314 - our own
    [skipped, passed] = suite.findall("testcase")
    assert caveat in (skipped[0].get("message") or "")
    assert (skipped[0].tag, passed[0].tag) == ("skipped", "system-out")
    assert not document(limited, mode=Mode.REGRESSIONS).unanswered, "it is not slower, which is all that is asked"
    assert document(slower(real_kinds_alone=True), mode=Mode.PROVE).has_regressions
    assert not document(slower(real_kinds_alone=True), mode=Mode.PROVE).unanswered, "it is known to be slower"


def test_a_changed_file_of_which_nothing_is_known_is_an_error_of_junit_and_what_is_left_out_is_skipped() -> None:
    unread = LeftOutPart(file="shop.py", function=None, reason="it has a syntax error in line 3", is_unknown=True)
    large = LeftOutPart(file="data.py", function=None, reason="it is larger than 1 MiB")
    suite = ET.fromstring(junit(document(functions=[], left_out=[unread, large])))[0]  # noqa: S314 - our own
    assert [each[0].tag for each in suite] == ["error", "skipped"]
    assert (suite.get("errors"), suite.get("skipped"), suite.get("failures")) == ("1", "1", "0")
    assert suite[0][0].get("message") == "left out: it has a syntax error in line 3"


def test_junit_names_a_file_that_could_not_be_read() -> None:
    left = LeftOutPart(file="shop.py", function=None, reason="it has a syntax error in line 3")
    [case] = ET.fromstring(junit(document(functions=[], left_out=[left])))[0]  # noqa: S314 - our own
    assert (case.get("classname"), case.get("name")) == ("shop.py", "the whole file")
    assert case[0].get("message") == "left out: it has a syntax error in line 3"


@pytest.mark.parametrize("line", [241, None])
def test_sarif_warns_at_a_file_that_could_not_be_read(line: int | None) -> None:
    left = LeftOutPart(file="shop/a b.py", function=None, line=line, reason="it has a syntax error")
    quiet = LeftOutPart(file="shop/other.py", function="last", reason="nothing calls it")
    run = sarif(document(functions=[], left_out=[left, quiet]))["runs"][0]
    [result] = run["results"]
    assert (result["ruleId"], result["level"]) == ("left-out", "warning")
    assert result["ruleId"] in {each["id"] for each in run["tool"]["driver"]["rules"]}
    assert "it has a syntax error" in result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("shop/a%20b.py", line or 1)


def test_junit_skips_what_the_time_was_too_short_for_but_not_an_offer() -> None:
    late = function(function="late", decision=Decision.NO_IMPROVEMENT, gain=None, rewrite=None, cut_short=True)
    decided = function(function="decided", decision=Decision.NO_IMPROVEMENT, gain=None, rewrite=None)
    suite = ET.fromstring(junit(document(late, decided, function(cut_short=True))))[0]  # noqa: S314 - our own
    assert [each.get("name") for each in suite if each.find("skipped") is not None] == ["late"]


def test_junit_of_an_interrupted_run_is_no_success_and_skips_what_has_no_answer() -> None:
    left = LeftOutPart(file="shop.py", function="last", reason="nothing calls it")
    report = document(interrupted(), mode=Mode.REGRESSIONS, interrupted=True, left_out=[left])
    suite = ET.fromstring(junit(report))[0]  # noqa: S314 - our own
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "0", "1", "2"]
    [error] = suite.findall("testcase/error")
    assert error.get("message") == "The run was interrupted before there was an answer for 1 changed function"
    assert [(each.get("name"), each[0].get("message")) for each in suite.findall("testcase[skipped]")] == [
        ("total", "no answer: the run was interrupted"),
        ("last", "left out: nothing calls it"),
    ]
    nothing_known = ET.fromstring(junit(document(functions=[], interrupted=True)))[0]  # noqa: S314 - our own
    assert (nothing_known.get("tests"), nothing_known.get("errors")) == ("1", "1")


def test_each_row_beside_the_results_tells_its_verdict_and_why_there_is_no_answer() -> None:
    told = "0.74x of the time (0.71x to 0.77x)"
    objection = against_before("wall time rose to 1.40x")
    report = document(
        function(decision=Decision.CONDITIONAL, gain=None, rewrite=None, reason=told),
        interrupted(decision=Decision.TOO_NOISY, reason=objection),
        different("total", file="other.py"),
        mode=Mode.REGRESSIONS,
        left_out=[LeftOutPart(file="shop.py", function="last", reason="it is a property")],
    )
    text = summary(report, Surroundings())
    assert f"</code>: not slower on the calls that were seen: {told}\n" in text
    assert f"</code>: no answer: {objection}\n" in text
    assert "</code>: no answer, as it behaves differently: total" in text
    assert "</code>: left out: it is a property\n" in text


def test_a_summary_claims_to_have_looked_only_where_it_did() -> None:
    ended = summary(document(interrupted(), mode=Mode.REGRESSIONS, interrupted=True), Surroundings())
    assert "<summary>What was not looked at</summary>" in ended
    assert "<summary>What else was looked at</summary>" in summary(nothing(), Surroundings())


def test_a_loss_on_small_inputs_stands_beside_the_gain_and_is_not_hidden_in_a_fold() -> None:
    report = document(function(losses=[LossPart(inputs="small", times_slower=20.0)]))
    said = "31.8x faster (30.7x to 33.4x); 20.0x slower on small inputs"
    assert verdict(report.functions[0], report) == said
    assert f"**{said}**" in summary(report, Surroundings())
    assert said in text_report(report)


def test_a_caveat_stands_beside_the_gain_in_every_form() -> None:
    caveat = "it differs on values of kinds that no real call holds, for example f([[]]) raised TypeError"
    told = document(function(caveat=caveat))
    assert f"31.8x faster (30.7x to 33.4x), but {caveat}" in text_report(told)
    page = summary(told, Surroundings())
    [row] = [line for line in page.splitlines() if line.startswith("|") and "31.8x" in line]
    assert "31.8x faster" in row
    assert "but it differs on values of kinds that no real call holds" in row
    assert caveat in json.dumps(sarif(told))
    assert caveat in junit(told).decode()
    assert CiDocument.model_validate_json(told.model_dump_json()).functions[0].caveat == caveat


def test_what_makes_a_loss_worse_is_no_objection_to_it() -> None:
    told = document(slower(caveat="12.0x of the time on inputs 4 times as large"), mode=Mode.REGRESSIONS)
    [line] = [each for each in text_report(told).splitlines() if "12.0x" in each]
    assert "slower: 2.00x of the time (1.92x to 2.08x), and 12.0x of the time on inputs 4 times as large" in line
    assert ", and 12.0x of the time" in summary(told, Surroundings())


def test_a_slow_down_that_is_known_of_larger_inputs_alone_is_told_as_one_of_these() -> None:
    told = document(slower(caveat="only on inputs 4 times as large; on the real ones …"), mode=Mode.REGRESSIONS)
    assert "2.00x of the time (1.92x to 2.08x), but only on inputs 4 times as large" in text_report(told)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_caveat_is_inert(text: str) -> None:
    plain = rendered(summary(document(function(caveat="X")), Surroundings()))
    page = rendered(summary(document(function(caveat=text)), Surroundings()))
    tags = [tag for tag in re.findall(r"<[^>]*>", page) if tag not in ("<code>", "</code>")]
    assert tags == [tag for tag in re.findall(r"<[^>]*>", plain) if tag not in ("<code>", "</code>")]
