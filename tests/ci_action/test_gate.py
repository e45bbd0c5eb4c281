"""What ends a job with `--fail-on`, and what is said then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from documents import HEAD, document, function, slower

from afterburner.agent import UsageError
from afterburner.ci_action.changes import LeftOut
from afterburner.ci_action.gathered import Gathered
from afterburner.ci_action.measure_command import fails_gate
from afterburner.ci_action.measuring import Measured, _document
from afterburner.ci_action.options import CiOptions
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.ci_action.report.document import FunctionPart

OF_REAL_KINDS = function(decision=Decision.FASTER, rewrite=None, real_kinds_alone=True)
CONDITION = (
    "CPU time 0.98x (0.95x to 1.02x), the same provided that `self` is like in the real calls, for nothing else could "
    "be made of it"
)


def proven(*functions: FunctionPart) -> Measured:
    return Measured(document(*functions, mode=Mode.PROVE), Gathered())


def conditional(reason: str, name: str = "total") -> FunctionPart:
    return function(name=name, decision=Decision.CONDITIONAL, gain=None, rewrite=None, reason=reason)


def test_a_proof_for_elements_of_the_real_kinds_alone_ends_the_strict_gate_and_no_other() -> None:
    assert not fails_gate(proven(OF_REAL_KINDS))
    with pytest.raises(UsageError, match=r"no-answer: there is no answer for shop.py common: it differs on") as told:
        fails_gate(proven(OF_REAL_KINDS), answers=True)
    assert "values of kinds that no real call holds; in the base, give the parameter a type hint" in str(told.value)
    assert fails_gate(proven(OF_REAL_KINDS, slower()), answers=True), "what is slower has an exit code of its own"
    assert not fails_gate(proven(function(decision=Decision.FASTER)), answers=True)


def test_the_strict_gate_tells_the_condition_without_the_advice_behind_it() -> None:
    with pytest.raises(UsageError) as told:
        fails_gate(proven(conditional(f"{CONDITION}; add a test to the base")), answers=True)
    assert str(told.value).endswith(f"there is no answer for shop.py total: {CONDITION}.")


def test_the_strict_gate_cuts_a_long_reason_and_does_not_drop_it() -> None:
    with pytest.raises(UsageError) as told:
        fails_gate(proven(conditional(f"the same provided that {'no row is empty, ' * 20}")), answers=True)
    assert "there is no answer for shop.py total: the same provided that no row is empty, no row" in str(told.value)
    assert str(told.value).endswith("….")
    assert len(str(told.value)) < 250


def test_of_several_functions_the_strict_gate_tells_a_reason_that_all_share() -> None:
    with pytest.raises(UsageError, match=r"for shop.py common, shop.py total: the same provided that …\.$"):
        fails_gate(
            proven(conditional("the same provided that …", "common"), conditional("the same provided that …")),
            answers=True,
        )
    with pytest.raises(UsageError, match=r"for shop.py common, shop.py total\.$"):
        fails_gate(proven(OF_REAL_KINDS, conditional("the same provided that …")), answers=True)


def test_the_report_says_of_which_left_out_files_nothing_is_known(tmp_path: Path) -> None:
    unread = LeftOut("a.py", "it has a syntax error in line 3", line=3, is_unknown=True)
    gathered = Gathered(left_out=[LeftOut("b.py", "it is larger than 1 MiB"), unread])
    report = _document(CiOptions(tmp_path), None, HEAD, gathered, 1.0)
    assert [(each.file, each.is_unknown) for each in report.left_out] == [("a.py", True), ("b.py", False)]
