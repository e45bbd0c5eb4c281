"""What is said beside a result of the functions that have no answer: none may be missed behind one that has."""

from __future__ import annotations

import pytest
from documents import different, document, function, interrupted, slower

from afterburner.ci_action.formats.phrases import headline
from afterburner.ci_action.formats.sarif import sarif
from afterburner.ci_action.report.document import CiDocument, Decision, LeftOutPart, Mode

REGRESSIONS, PROVE = Mode.REGRESSIONS, Mode.PROVE
FAILED = interrupted("common", decision=Decision.FAILED)
FASTER = function(decision=Decision.FASTER, rewrite=None)
NOT_CALLED = LeftOutPart(file="shop.py", function="last", reason="it is a property")
BEYOND = LeftOutPart(file="shop.py", function="first", reason="others come first", beyond_max_functions=True)
FILE = LeftOutPart(file="shop.py", function=None, reason="it is larger than 1 MiB")


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (
            document(slower(), different("common"), mode=REGRESSIONS),
            "1 function is slower than at the base; 1 more could not be compared, as it behaves differently",
        ),
        (
            document(slower(), different("common"), different("common", file="other.py"), mode=REGRESSIONS),
            "1 function is slower than at the base; 2 more could not be compared, as they behave differently",
        ),
        (
            document(slower(), different("common"), mode=REGRESSIONS, left_out=[NOT_CALLED, BEYOND, FILE]),
            (
                "1 function is slower than at the base; there is no answer for 2 more; "
                "1 more was left out by --max-functions"
            ),
        ),
        (
            document(slower(), different("common"), interrupted(file="b.py"), mode=REGRESSIONS, interrupted=True),
            (
                "1 function is slower than at the base; 1 more could not be compared, as it behaves differently; "
                "the run was interrupted before there was an answer for 1 changed function"
            ),
        ),
        (document(slower(), FASTER, mode=REGRESSIONS), "1 function is slower than at the base"),
        (
            document(different(), FAILED, mode=PROVE),
            "Not proven: 1 function is different in behaviour; there is no answer for 1 more",
        ),
        (
            document(FASTER, FAILED, mode=PROVE),
            "Proven: 1 of 2 changed functions faster; there is no answer for 1 more",
        ),
        (document(FASTER, different(decision=Decision.SAME), mode=PROVE), "Proven: 1 of 2 changed functions faster"),
    ],
)
def test_the_headline_counts_what_has_no_answer_beside_a_result(report: CiDocument, said: str) -> None:
    assert headline(report) == said


def test_sarif_notifies_of_a_function_that_could_not_be_compared() -> None:
    """Of one that is the same on a condition there is a result, which names its lines."""
    [told] = sarif(document(slower(), different("common"), mode=REGRESSIONS))["runs"][0]["invocations"]
    [notification] = told["toolExecutionNotifications"]
    assert notification["message"]["text"].endswith(", as it behaves differently. Without an answer: common")
    conditional = function(decision=Decision.CONDITIONAL, gain=None, rewrite=None)
    for report in (document(conditional, mode=PROVE), document(different(), mode=PROVE)):
        assert sarif(report)["runs"][0]["invocations"] == [{"executionSuccessful": True}]
        assert len(sarif(report)["runs"][0]["results"]) == 1
