"""What is told of a comparison with the last commit."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from afterburner.agent.inputs.choosing import GENERATED
from afterburner.agent.inputs.harness_answers import Assumption
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionFindings
from afterburner.agent.types import Gain, Objective
from afterburner.lsp_server.comparisons import details_of_comparison, message_of_comparison

if TYPE_CHECKING:
    from afterburner.agent.session.compare import ComparisonResult

FOUND = Counterexample(
    calls=("latest([('a', 1), ('b', 1)])",),
    expected="returned 'a'",
    actual="returned 'b'",
    difference="returned 'b' instead of 'a'",
    kind="equal keys",
    blobs=(),
)
DISTINCT = Assumption("len({item[1] for item in events}) == len(events)", "no two of `events` agree", 2)


def result_of(
    compared: VersionFindings, assume: tuple[str, ...] = (), origins: tuple[str, ...] = ()
) -> ComparisonResult:
    found: dict[str, Any] = {
        "compared": compared,
        "decision": compared.decision,
        "before_revision": "0123456789abcdef",
        "objective": Objective.TIME,
        "changed_files": (),
        "memory": None,
        "growth": None,
        "assume": assume,
        "workload_origins": origins,
    }
    return cast("ComparisonResult", SimpleNamespace(**found))


def test_what_differs_is_told_before_the_condition() -> None:
    example = replace(FOUND, provided=(DISTINCT,))
    result = result_of(VersionFindings(ComparisonDecision.CONDITIONAL, example.condition, counterexample=example))
    assert message_of_comparison(result) == (
        "the same on a condition. On latest([('a', 1), ('b', 1)]), the last commit returned 'a', your change returned "
        "'b'. It is the same provided that no two of `events` agree, as in all 2 recorded calls; state it with "
        '--assume "len({item[1] for item in events}) == len(events)". Which of the two is faster was not measured.'
    )
    assert details_of_comparison(result).splitlines() == [
        "    for     latest([('a', 1), ('b', 1)])",
        "    before  returned 'a'",
        "    after   returned 'b'",
        "    before: the last commit 0123456789ab; after: the text in the editor",
    ]


def test_what_limits_the_answer_stands_beside_what_limits_the_gain() -> None:
    agreed = Agreement((("empty", 3),), beyond_calls=FOUND)
    faster = VersionFindings(
        ComparisonDecision.FASTER,
        "CPU time 1.50x",
        Gain(1.5, 1.4, 1.6, 0.98, 8),
        agreement=agreed,
        caveat="it loses on one",
    )
    told = message_of_comparison(result_of(faster))
    assert told.index("it differs on values of kinds that no real call holds") < told.index("it loses on one")


def test_a_long_call_is_whole_in_the_log_alone() -> None:
    call = f"latest({list(range(500))})"
    example = replace(FOUND, calls=(call,))
    result = result_of(VersionFindings(ComparisonDecision.DIFFERENT, example.line, counterexample=example))
    assert message_of_comparison(result).startswith("different. On latest([0, 1, ")
    assert len(message_of_comparison(result)) < len(call)
    assert call in details_of_comparison(result)


def test_what_was_measured_is_told_as_faster_slower_or_neither() -> None:
    gain = Gain(0.5, 0.45, 0.55, 0.99, 8)
    told = VersionFindings(ComparisonDecision.SLOWER, "CPU time 0.50x (0.45x to 0.55x)", gain, caveat="0.40x on large")
    assert message_of_comparison(result_of(told)) == (
        "slower: CPU time 0.50x (0.45x to 0.55x); your change is 2.00x slower; 0.40x on large."
    )
    same = VersionFindings(ComparisonDecision.SAME, "CPU time 1.00x (0.99x to 1.01x)", gain)
    assert message_of_comparison(result_of(same)) == "the same: CPU time 1.00x (0.99x to 1.01x)."


def test_an_answer_says_what_is_stated_of_its_inputs() -> None:
    gain = Gain(31.5, 28.6, 36.7, 0.99, 8)
    faster = VersionFindings(ComparisonDecision.FASTER, "CPU time 31.5x (28.6x to 36.7x)", gain)
    assert message_of_comparison(result_of(faster, ("width > 0",))) == (
        "faster, given `width > 0`: CPU time 31.5x (28.6x to 36.7x)."
    )
    searched = replace(faster, agreement=Agreement((("derived", 800), ("huge", 240))))
    assert message_of_comparison(result_of(searched)).endswith("36.7x); no difference was found on 1040 inputs.")
    noisy = replace(searched, decision=ComparisonDecision.TOO_NOISY, reason="too noisy to tell")
    assert message_of_comparison(result_of(noisy)) == (
        "no answer: too noisy to tell; no difference was found on 1040 inputs."
    )
    unreached = replace(noisy, agreement=Agreement((("derived", 14),), unreached=(89,)))
    from_tests = result_of(unreached, origins=(GENERATED, GENERATED, "pytest: tests/test_a.py::test_b"))
    ends = "no difference was found on 14 inputs; no input reached line 89 of the original"
    assert message_of_comparison(from_tests) == f"no answer: too noisy to tell; {ends}."
    made_up = result_of(unreached, origins=(GENERATED, GENERATED))
    assert message_of_comparison(made_up).endswith(
        f"{ends}; none of its inputs is from your project: 2 calls made from type hints."
    )
    stated = tuple(f"len(argument_{number}) > {number}" for number in range(9))
    told = message_of_comparison(result_of(faster, stated))
    assert told.startswith("faster, for the inputs that afterburner.assume or `Requires:` allow: CPU time")
    different = VersionFindings(ComparisonDecision.DIFFERENT, FOUND.line, counterexample=FOUND)
    assert message_of_comparison(result_of(different, ("width > 0",))).startswith("different. On latest(")
    provided = replace(FOUND, provided=(DISTINCT,))
    conditional = VersionFindings(ComparisonDecision.CONDITIONAL, provided.condition, counterexample=provided)
    told = message_of_comparison(result_of(conditional, ("width > 0",)))
    assert told.startswith("the same on a condition, given `width > 0`. On latest(")


def test_the_log_has_a_test_with_all_of_a_call_that_is_shortened() -> None:
    test = f"def test_difference():\n    arguments = [{list(range(2000))}]\n"

    def details(call: str, test: str) -> list[str]:
        example = replace(FOUND, calls=(call,), test=test)
        found = VersionFindings(ComparisonDecision.DIFFERENT, example.line, counterexample=example)
        return details_of_comparison(result_of(found)).splitlines()

    *_, told, first, second = details("latest([0, 1, …, 1999])", test)
    assert told == "    all of the call, in a test:"
    assert [first, second] == [f"        {line}" for line in test.splitlines()]
    assert "test_difference" not in "".join(details("latest([0, 1])", test))
    skipped = "@pytest.mark.skip(reason='a value cannot be written')\ndef test_difference():\n    # f\n"
    assert "test_difference" not in "".join(details("latest([0, 1, …, 1999])", skipped))
