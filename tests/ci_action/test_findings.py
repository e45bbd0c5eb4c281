"""What a report says of a function, of the figures behind it, and of the project's tests."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from documents import document

from afterburner.agent.batch.batch_results import TOO_LITTLE_TIME, Outcome
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.requires import Requirements, requirements_of
from afterburner.agent.errors import WorkloadError
from afterburner.agent.evidence.classes import Fit
from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.evidence.samples import SampleFigures
from afterburner.agent.inputs.build import IN_DOCSTRING
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.inside.written_calls import RULED_OUT
from afterburner.agent.inputs.judging import STATED_BY, judging_notes
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import unproven
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.judge.lacking_time import OUT_OF_TIME
from afterburner.agent.judge.later_calls import Again
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.agent.judge.min_effect import MinEffect
from afterburner.agent.judge.slower_on_larger import NO_LARGER, NOT_LARGER
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.reach import UnseenLine
from afterburner.agent.judge.version_comparison import (
    ComparisonDecision,
    VersionFindings,
)
from afterburner.agent.loop.results import RunResult, why_none
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.stated_assumptions import ASSUMED, advice_to_state
from afterburner.agent.types import Decision as AgentDecision
from afterburner.agent.types import Gain, HeldOut, JudgedCandidate, Machine, Objective, Skipped, Target
from afterburner.agent.wording import LARGER_CALLS
from afterburner.ci_action.changes import ChangedFunction
from afterburner.ci_action.findings import (
    Place,
    _evidence_of_comparison,
    _grows_faster,
    _reason_of_comparison,
    _required,
    _tests_without_use,
    part_interrupted,
    part_not_reached,
    part_of_comparison,
    part_of_outcome,
    section_of_change,
    section_of_outcome,
)
from afterburner.ci_action.formats.inert import prose
from afterburner.ci_action.formats.junit import junit
from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.gathered import Gathered
from afterburner.ci_action.optimizing import explain_unranked, is_cut_short, suite_notes
from afterburner.ci_action.options import CiOptions
from afterburner.ci_action.outputs import text_report
from afterburner.ci_action.report.document import Decision, Mode
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

A_TEST = "pytest: tests/test_shop.py::test_total"


def test_tests_that_fail_are_named_and_calls_that_cannot_be_copied_are_no_failures() -> None:
    failing = [Skipped(f"{A_TEST}[{number}]", f"the test fails here: AssertionError {number}") for number in range(4)]
    uncopied = Skipped("pytest: tests/test_shop.py", "arguments cannot be copied: a lock")
    [line] = _tests_without_use([uncopied, *failing], ["pytest: tests/test_shop.py"])
    names = ", ".join(f"tests/test_shop.py::test_total[{number}]" for number in range(3))
    assert line == f"tests that fail on the original, too: {names}, … (AssertionError 0)"
    assert not list(_tests_without_use([uncopied], ["pytest: tests/test_shop.py"]))


NO_PYTEST = "tests/test_shop.py would be run, but pytest is not installed: python -m pip install pytest"
NO_TESTS_RAN = Skipped("pytest", NO_PYTEST)
ABOUT_AS_FAST = Gain(0.98, 0.94, 1.03, 0.99, 8)


def compared(decision: ComparisonDecision, *origins: str, skipped: Sequence[Skipped] = (), **found: Any) -> Any:
    """As much of a comparison as a report of a slow-down reads."""
    version = VersionFindings(decision, "measured", **found)
    told: dict[str, Any] = {"growth": None, "changed_files": (), "elapsed_s": 1.0, "objective": Objective.TIME}
    return SimpleNamespace(compared=version, workload_origins=origins, skipped=skipped, real_calls_alone=True, **told)


def test_without_the_projects_tests_made_inputs_are_no_answer() -> None:
    function = ChangedFunction("shop.py", "shop.py", "total", 1, 2, "", "0" * 40, is_new=False, is_executable=False)
    place = Place(function, None)
    for origins, decision in (
        (("generated", "derived"), Decision.FAILED),
        (("generated", "captured from __main__"), Decision.SAME),
    ):
        part = part_of_comparison(place, compared(ComparisonDecision.SAME, *origins, skipped=[NO_TESTS_RAN]))
        assert part.decision is decision
        assert ("none of its inputs is from a real call: tests/test_shop.py would be run" in part.reason) == (
            decision is Decision.FAILED
        )
    slower = part_of_comparison(place, compared(ComparisonDecision.SLOWER, "generated", skipped=[NO_TESTS_RAN]))
    assert slower.decision is Decision.SLOWER
    assert part_of_comparison(place, compared(ComparisonDecision.SAME, "generated")).decision is Decision.SAME


def test_an_answer_about_slow_downs_says_which_larger_inputs_were_tried() -> None:
    told = _reason_of_comparison(compared(ComparisonDecision.TOO_NOISY, "doctest", gain=ABOUT_AS_FAST))
    assert told == "1.02x of the time (0.97x to 1.06x), too noisy to tell"
    for decision, said in (
        (ComparisonDecision.SAME, ""),
        (ComparisonDecision.SLOWER, ""),
        (ComparisonDecision.TOO_NOISY, ", too noisy to tell"),
    ):
        found = compared(decision, "doctest", gain=ABOUT_AS_FAST, tried_larger=NO_LARGER)
        assert _reason_of_comparison(found) == f"1.02x of the time (0.97x to 1.06x){said}; {NO_LARGER}"
        part = part_of_comparison(PLACE, found)
        assert (part.larger_inputs, part.evidence[-1]) == (NO_LARGER, NO_LARGER)
    seeming = "on inputs 64 times as large it seems to take 2.0x of the time"
    found = compared(ComparisonDecision.TOO_NOISY, "doctest", gain=ABOUT_AS_FAST, larger_inputs=seeming)
    assert _reason_of_comparison(found) == f"1.02x of the time (0.97x to 1.06x), too noisy to tell; {seeming}"
    found = compared(ComparisonDecision.TOO_NOISY, "d", gain=ABOUT_AS_FAST, tried_larger="tried", lacks_larger=True)
    assert _reason_of_comparison(found) == f"1.02x of the time (0.97x to 1.06x), but {NOT_LARGER}; tried"


def test_a_loss_on_small_calls_says_how_ci_gets_larger_ones() -> None:
    found = compared(ComparisonDecision.SLOWER, "doctest", gain=ABOUT_AS_FAST, larger_inputs=f"none; {LARGER_CALLS}")
    told = part_of_comparison(PLACE, found).evidence[-1]
    assert told.startswith("none; to see what pays only on larger inputs than these, add a test to the base that makes")
    assert "--" not in told, "`ci` has no such option"


def test_a_slow_down_in_wall_time_says_so() -> None:
    busy, waiting = Measurement(1.0, 1.0, 1000, 1000.0), Measurement(3.0, 1.0, 1000, 1000.0)
    block = Block.of((Sample(busy, busy, (busy,)),), (Sample(waiting, waiting, (waiting,)),))
    gain = Gain(1 / 3, 0.3, 0.4, 0.99, 8)
    found = compared(ComparisonDecision.SLOWER, "doctest", gain=gain, blocks=(block,) * 8)
    assert _reason_of_comparison(found) == "3.00x of the wall time (2.50x to 3.33x)"
    words = Again(Comparison(AgentDecision.NOT_BETTER, "slower", gain, blocks=(block,) * 8), "", "64 elements").words
    assert words == "on 64 elements it takes 3.00x of the wall time"


def test_a_difference_beyond_the_kinds_of_the_real_calls_is_told_apart() -> None:
    beyond = Counterexample(
        ("f([None])",), "returned False", "returned True", "returned True instead of False", "derived", ()
    )
    for agreement, is_limited in ((Agreement(beyond_calls=beyond), True), (Agreement(), False), (None, False)):
        found = compared(ComparisonDecision.SAME, "doctest", agreement=agreement)
        part = part_of_comparison(PLACE, found)
        assert (part.real_kinds_alone, bool(part.caveat)) == (is_limited, is_limited)


def test_a_caveat_of_the_gain_does_not_hide_that_the_versions_differ() -> None:
    beyond = Counterexample(
        ("f([[]])",), "returned 1", "raised TypeError", "raised TypeError instead of returning 1", "derived", ()
    )
    agreement, of_gain = Agreement(beyond_calls=beyond), "only on larger inputs; on the real ones 1.01x"
    told = part_of_comparison(
        PLACE, compared(ComparisonDecision.FASTER, "doctest", agreement=agreement, caveat=of_gain)
    )
    assert told.caveat == f"{agreement.caveat}; {of_gain}", "what limits the proof comes first"
    told = part_of_comparison(
        PLACE, compared(ComparisonDecision.SLOWER, "doctest", agreement=agreement, caveat=of_gain)
    )
    assert told.caveat == f"{of_gain}; {agreement.caveat}", "what limits the loss comes first"


CONDITIONS = [
    (Agreement(unvaried=("doc",)), "{} that makes calls with other values, and if your calls show all that matters"),
    (Agreement(exhausted=True), "no further input could be made; {} that makes calls that some can be made from"),
    (Agreement(unreached=(7,)), "the rewrite changes them; {} that makes calls that do"),
    (Agreement(unreached=(UnseenLine(7),)), "the rewrite changes them; {} that makes shorter calls that do"),
]


@pytest.mark.parametrize(("agreed", "advice"), CONDITIONS)
def test_a_condition_advises_what_there_is_in_a_pull_request(agreed: Agreement, advice: str) -> None:
    made = 0 if agreed.exhausted else 9
    condition = unproven(agreed, None, 40, unreached=agreed.unreached, made=made)
    assert condition is not None
    found = compared(ComparisonDecision.CONDITIONAL, "doctest")
    found.compared = replace(found.compared, reason=condition.reason)
    result = replace(RESULT, improved=False, gain=None, summary=condition.reason)
    offered = Outcome(
        RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()),
        "conditional",
        condition.reason,
        result=result,
    )
    of_page = {"decision": ComparisonDecision.CONDITIONAL, "target": RESULT.target, "after_path": "/shop.py", "seed": 0}
    of_page |= {"objective": Objective.TIME, "memory": None, "assume": (), "patch": "", "float_tolerance": None}
    of_page |= {"before_revision": "a" * 40, "after_revision": "b" * 40, "machine": RESULT.machine}
    vars(found).update(of_page, min_effect=MinEffect(0.05, "the default"))
    line = "`Requires: as_called(doc)`"
    of_base, of_rewrite = f"{line} in the docstring of the base", f"{line} in the docstring, or type hints"
    proven = part_of_outcome(PLACE, offered, None, merged=True, cut_short=False)
    for told, test, docstring in (
        (part_of_comparison(PLACE, found).reason, "add a test to the base", of_base),
        (section_of_change(found).sentence, "add a test to the base", of_base),
        (proven.reason, "add a test", of_rewrite),
        (section_of_outcome(result).sentence, "add a test", of_rewrite),
    ):
        assert advice.format(test) in told
        assert "--" not in told, "`ci` has no such option"
        assert (f"state it with {docstring}" in told) is bool(agreed.unvaried)


def test_what_is_to_be_stated_is_told_as_lines_that_a_docstring_takes(tmp_path: Path) -> None:
    stated = ["abs(end) < 2**31", "type(end) is int", "all(row['a\\\\b'] for row in rows)", "rows is not end"]
    found = compared(ComparisonDecision.CONDITIONAL, "doctest")
    reason = f"the same provided that it is; {advice_to_state(stated)}. More"
    found.compared = replace(found.compared, reason=reason)
    told = part_of_comparison(PLACE, found).reason
    lines = "".join(f"        {each}\n" for each in re.findall("`(.+?)`", told)[1:])
    assert told.startswith(
        "the same provided that it is; state it with `Requires:` and, indented below it, the lines `abs(end) < 2**31`, "
    )
    in_raw = "(in a raw docstring each backslash once)"
    assert told.endswith(f" and `rows is not end` {in_raw} in the docstring of the base. More")
    assert "raw" not in _required(stated[:2])
    assert _required(["'\\n' in end"]) == f"`Requires: '\\\\n' in end` {in_raw}"
    file = tmp_path / "shop.py"
    file.write_text(f'def f(rows, end):\n    """Do it.\n\n    Requires:\n{lines}    """\n', encoding="utf-8")
    assert requirements_of(find_target(file, "f")) == Requirements(tuple(stated))


OF_OPTIONS = [
    (
        f"you state of every input, {STATED_BY} in the docstring: n > 0.",
        "of every input, by `Requires:` in the docstring",
    ),
    (f"model: 4 left out: {RULED_OUT}", "calls that the type hints or `Requires:` rule out"),
    (f'{ASSUMED}n > 0" holds in none of the 3 real calls: n is 0', '"n > 0" holds in none of the 3 real calls: n is 0'),
    (advice_to_state(["n > 0"]), "state it with `Requires: n > 0` in the docstring"),
    (advice_to_state(["n > 0", "m > 0"]), "the lines `n > 0` and `m > 0` in the docstring"),
]


@pytest.mark.parametrize(("reason", "words"), OF_OPTIONS)
def test_no_reason_names_the_option_that_states_something(reason: str, words: str) -> None:
    found = compared(ComparisonDecision.CONDITIONAL, "doctest")
    found.compared = replace(found.compared, reason=reason)
    result = replace(RESULT, improved=False, gain=None, summary=reason)
    target = RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ())
    outcomes = [Outcome(target, "no_improvement", reason, result=result), Outcome(target, "failed", reason)]
    for part in (
        part_of_comparison(PLACE, found),
        *(part_of_outcome(PLACE, each, None, merged=False, cut_short=False) for each in outcomes),
    ):
        assert words in part.reason
        assert "--assume" not in part.reason


def test_what_of_the_docstring_states_nothing_is_told_beside_the_result_in_every_form() -> None:
    why = "no expression over the parameters: few rows"
    skipped = [Skipped(IN_DOCSTRING, why), Skipped("doctest", "there is none")]
    for decision in (ComparisonDecision.SAME, ComparisonDecision.CONDITIONAL, ComparisonDecision.SLOWER):
        result = compared(decision, "doctest", skipped=skipped)
        result.real_calls_alone = False
        part = part_of_comparison(PLACE, result)
        assert part.left_out_requirements == [why]
        for mode in (Mode.PROVE, Mode.REGRESSIONS):
            report = document(part, mode=mode)
            assert f"; left out of `Requires:` in the docstring: {why}\n" in text_report(report)
            assert prose(f"left out of `Requires:` in the docstring: {why}") in summary(report, Surroundings())
            assert why.encode() in junit(report)
    outcome = Outcome(
        RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()), "improved", "", result=replace(RESULT, skipped=tuple(skipped))
    )
    assert part_of_outcome(PLACE, outcome, None, merged=True, cut_short=False).left_out_requirements == [why]


def test_a_note_names_no_option_that_states_something() -> None:
    notes = judging_notes(SimpleNamespace(assume=("n > 0",), float_tolerance=None, fixed_clock=False))  # type: ignore[arg-type]
    told = replace(RESULT, notes=notes)
    offered = Outcome(RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()), "improved", "", result=told)
    evidence = part_of_outcome(PLACE, offered, None, merged=True, cut_short=False).evidence
    assert any("you state of every input, by `Requires:` in the docstring: n > 0" in each for each in evidence)


IN_PART = "CPU time 1.14x, only 316 of 800 inputs could be tried before the time was over; give --max-seconds more"


@pytest.mark.parametrize(
    ("found", "cut_short"),
    [
        (VersionFindings(ComparisonDecision.TOO_NOISY, IN_PART), True),
        (VersionFindings(ComparisonDecision.TOO_NOISY, OUT_OF_TIME), True),
        (VersionFindings(ComparisonDecision.TOO_NOISY, "1.00x", lacks_larger=True), True),
        (VersionFindings(ComparisonDecision.TOO_NOISY, "the samples do not tell"), False),
        (VersionFindings(ComparisonDecision.TOO_NOISY, IN_PART, objection=IN_PART), False),
        (VersionFindings(ComparisonDecision.SLOWER, IN_PART), False),
    ],
)
def test_a_comparison_without_an_answer_is_cut_short_if_it_lacked_time(
    found: VersionFindings, *, cut_short: bool
) -> None:
    told = SimpleNamespace(
        compared=found, workload_origins=("doctest",), skipped=(), growth=None, changed_files=(), elapsed_s=1.0
    )
    told.real_calls_alone = False
    assert part_of_comparison(PLACE, told).cut_short is cut_short  # type: ignore[arg-type]


def test_the_page_names_the_option_of_ci_that_gives_more_time() -> None:
    late = JudgedCandidate("1.1", 1, "rules", Verdict.ACCEPTED, AgentDecision.REFUSED, TOO_LATE_TO_CONFIRM, None)
    sentence = f"Nothing is offered: {IN_PART.partition(', ')[2]}."
    result = replace(RESULT, improved=False, gain=None, summary=sentence, ended_early=TIME_IS_UP, candidates=(late,))
    section = section_of_outcome(result)
    told = [section.sentence, *section.notes, *(each.reason for each in section.candidates)]
    assert [each for each in told if "--max-seconds" in each] == []
    assert sum("--max-minutes" in each for each in told) == 3


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ("", "nothing calls it"),
        (
            " Seen:\n  - pytest left with exit code 4",
            "no call of it was seen: see below what stood in the way of the tests",
        ),
    ],
)
def test_tests_that_did_not_run_are_no_sign_that_nothing_calls_a_function(
    tmp_path: Path, seen: str, reason: str
) -> None:
    gathered = Gathered()
    error = WorkloadError(f"shop: nothing calls its functions, so there is nothing to rank.{seen}\nGive a command")
    function = ChangedFunction("shop.py", "shop.py", "total", 1, 2, "", "0" * 40, is_new=False, is_executable=False)
    explain_unranked(error, CiOptions(tmp_path), {("shop.py", "total"): function}, gathered)
    assert [each.reason for each in gathered.left_out] == [reason]
    assert ("exit code 4" in gathered.notes[0]) is bool(seen)


def test_it_is_said_why_tests_gave_no_inputs_where_none_came_from_them() -> None:
    skipped = [Skipped("pytest", "it ran longer than 10 s")]
    assert list(_tests_without_use(skipped, ["generated"])) == [
        "no inputs from the project's tests: it ran longer than 10 s"
    ]
    assert not list(_tests_without_use(skipped, ["generated", "pytest: tests/test_shop.py"]))


def test_what_failed_before_anything_was_changed_is_noted() -> None:
    assert list(suite_notes(Suite(9, ("tests/a.py::test_a",), complete=False))) == [
        "1 test failed before anything was changed: tests/a.py::test_a",
        "the tests did not run to their end, so that what the others call is not known",
    ]
    assert not list(suite_notes(Suite(9, (), complete=True)))
    several = Suite(9, ("a::b", "a::c", "a::b"), complete=True, reasons=("no server", "no client", "left open"))
    assert list(suite_notes(several)) == [
        "2 tests failed before anything was changed: a::b, a::c (the first: no server)"
    ]


USED = Measurement(1.0, 0.1, 1000, 1000.0)
RESULT = RunResult(
    run_id="x",
    target=Target("/shop.py", "", "f", "a = 1\n", "/", "/"),
    objective=Objective.TIME,
    model="rules",
    improved=True,
    summary="wall time improved 2.00x",
    gain=Gain(2.0, 1.9, 2.1, 0.98, 8),
    original=USED,
    best=USED,
    held_out=HeldOut(0, passed=True, gain=None),
    candidates=(),
    patch="",
    best_source="a = 2\n",
    readability=None,
    workload_origins=(),
    skipped=(),
    machine=Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits"),
    elapsed_s=1.0,
    evidence=Evidence(None, samples=SampleFigures("wall time", (2.0,), (1.0,))),
)
PLACE = Place(ChangedFunction("shop.py", "shop.py", "f", 1, 1, "a = 1\n", "0" * 40, is_new=False), None)


def test_a_gain_tells_the_figure_that_it_is_of() -> None:
    outcome = Outcome(RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()), "improved", RESULT.summary, result=RESULT)
    part = part_of_outcome(PLACE, outcome, None, merged=True, cut_short=False)
    assert part.gain is not None
    assert part.gain.figure == "wall time"


def test_what_looked_better_when_the_time_was_over_is_called_a_rewrite() -> None:
    gain = Gain(31.5, 30.0, 33.0, 0.0, 2)
    promising = JudgedCandidate("1.1", 1, "rules", Verdict.ACCEPTED, AgentDecision.PROMISING, "", gain)
    late = replace(RESULT, improved=False, gain=None, candidates=(promising,))
    outcome = Outcome(RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()), "no_improvement", TIME_IS_UP, result=late)
    part = part_of_outcome(PLACE, outcome, None, merged=True, cut_short=True)
    assert part.reason.endswith("; a rewrite (1.1) looked 31.5x better in screening, which proves nothing")


def test_what_is_wrong_with_a_candidate_is_told_where_nothing_is_offered() -> None:
    raised = "call 2 raised TypeError('unhashable') instead of returning [[2]]"
    wrong = JudgedCandidate("1.1", 1, "rules", Verdict.WRONG_ANSWER, AgentDecision.WRONG, raised, None)
    shown = replace(wrong, reason="it differs from the original", counterexample=f"f([1, 1]) returned {'9' * 500}")
    same = replace(wrong, verdict=Verdict.ACCEPTED, decision=AgentDecision.NOT_BETTER, reason="as fast")
    for candidates, told in (
        ((same, wrong, same), f"2 are the same on the workload but not better, 1 is wrong ({raised})"),
        ((wrong, same, shown), f"1 is the same on the workload but not better, 2 are wrong (the first: {raised})"),
        ((wrong,), f"nothing is offered: the only candidate is wrong ({raised})"),
        ((shown,), "the only candidate is wrong (f([1, 1]) returned 99…(500 in a row))"),
        ((same,), "nothing is offered: the only candidate is the same on the workload but not better"),
    ):
        result = replace(RESULT, improved=False, gain=None, candidates=candidates)
        result = replace(result, summary=f"nothing is offered: {why_none(candidates)}")
        target = RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ())
        outcome = Outcome(target, "no_improvement", result.summary, result=result)
        part = part_of_outcome(PLACE, outcome, None, merged=True, cut_short=False)
        assert part.reason.endswith(told)
        report = document(part)
        assert f": {part.reason}\n" in text_report(report)
        assert prose(part.reason) in summary(report, Surroundings())
    known = f"nothing is offered: the only candidate is wrong: {raised}"  # as a run of many tells what all share
    outcome = Outcome(target, "no_improvement", known, result=replace(result, candidates=(wrong,)))
    assert part_of_outcome(PLACE, outcome, None, merged=True, cut_short=False).reason == known


def test_a_reason_that_begins_with_the_verdict_is_told_once() -> None:
    told = "the same only on a condition: 3.1x, the same provided that `a` ascends"
    outcome = Outcome(
        RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ()), "conditional", told, result=replace(RESULT, improved=False)
    )
    report = document(part_of_outcome(PLACE, outcome, None, merged=True, cut_short=False))
    assert f"f: {told}\n" in text_report(report)


def test_what_was_not_reached_in_time_is_cut_short() -> None:
    target = RankedTarget("/shop.py", "f", 1.0, 0.9, 1, ())
    late, full = (Outcome(target, "not_reached", why) for why in (TOO_LITTLE_TIME, "enough others had their turn"))
    assert part_of_outcome(PLACE, late, None, merged=True, cut_short=False).cut_short
    assert not part_of_outcome(PLACE, full, None, merged=True, cut_short=False).cut_short
    assert part_not_reached(PLACE).cut_short
    assert not part_interrupted(PLACE).cut_short


def test_a_run_without_an_offer_is_cut_short_if_its_time_was_up() -> None:
    late = replace(RESULT, improved=False, ended_early=TIME_IS_UP)
    assert is_cut_short(late)
    assert not is_cut_short(replace(late, ended_early="nothing better in 2 rounds"))
    assert not is_cut_short(replace(late, improved=True))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (("n", 1.0), ("n²", 1.9), ", and it grows faster with len(src): n → n²"),
        (("n", 1.0), ("n log n", 1.1), ""),  # may be chance
        (("n²", 1.9), ("n", 1.0), ""),
        (("n", 1.0), ("n", 1.4), ""),
    ],
)
def test_a_slow_down_that_grows_with_the_input_is_told_with_its_figure(
    before: tuple[str, float], after: tuple[str, float], said: str
) -> None:
    original, winner = (Fit(name, 0.0, 1.0, exponent, 0.01, name) for name, exponent in (before, after))
    assert _grows_faster(Growth("len(src)", (), original, winner)) == said
    assert not _grows_faster(None)
    assert not _grows_faster(Growth(note="cannot tell"))


UNSURE = Fit("unclear", 0.0, 1.0, 0.6, 0.01, "n", ("log n", "n", "n log n"))


@pytest.mark.parametrize(
    ("before", "after", "is_shown"),
    [
        (UNSURE, Fit("log n", 0.0, 1.0, 0.2, 0.01, "log n"), False),
        (UNSURE, replace(UNSURE, rivals=("n log n", "n²"), exponent=1.5), False),
        (UNSURE, replace(UNSURE, rivals=("n²", "n² log n"), exponent=2.0), True),
        (UNSURE, replace(UNSURE, rivals=(), reason="3 sizes are too few", best="n²"), False),
    ],
)
def test_growth_stands_beside_a_slow_down_only_where_it_has_become_worse(
    before: Fit, after: Fit, *, is_shown: bool
) -> None:
    """The kind of calls that growth was measured on may be another than the one that became slower."""
    growth = Growth("precision", (), before, after, like="clean([0.5], 3)")
    line = f"growth with precision: {growth.of_calls}"
    for decision, shown in ((ComparisonDecision.SLOWER, is_shown), (ComparisonDecision.SAME, True)):
        found = compared(decision, "doctest", gain=Gain(0.3, 0.2, 0.4, 0.99, 8))
        found.growth = growth
        assert (line in _evidence_of_comparison(found)) == shown
    assert bool(_grows_faster(growth)) == is_shown
