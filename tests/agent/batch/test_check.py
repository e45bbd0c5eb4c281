"""The tests with all offers in place, in the real sandbox; nothing is written unless they are as good as before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import pytest

from afterburner.agent.batch import check
from afterburner.agent.batch.batch_results import ManyResult, Outcome
from afterburner.agent.batch.check import check_offers
from afterburner.agent.batch.merge import Merged
from afterburner.agent.cli.many import deliver_many
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.code.locate import find_target
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.inputs.survey import check_tests
from afterburner.agent.options import BatchPlace, RunSettings
from afterburner.agent.store.batch_state import SuiteCheck
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Target
    from afterburner.sandbox import Sandbox

LIMIT_S = 20.0
NONE_PASSED = Suite(0, ("tests/test_names.py", "tests/test_texts.py"), complete=True)
HEAD = '"""Tables as text."""\n'


def checked(sandbox: Sandbox, shop: Path, change: str, before: Suite | None, limit_s: float = LIMIT_S) -> ManyResult:
    """A run over many targets whose one offer puts `change` into the module, after its check."""
    path = shop / "shop" / "texts.py"
    target = find_target(path, None, whole_program=True)
    text = target.source.replace(HEAD, HEAD + change)
    many = ManyResult(
        shop / "shop", RunSettings(str(shop / "shop"), batch=BatchPlace(top=3)), new_run_id(), suite=before
    )
    many.merged = Merged({str(path): text.encode()}, {str(path): (target, text)})
    check_offers(many, sandbox, limit_s, lambda _result, _settings: True)
    return many


def applied(many: ManyResult) -> str:
    """What a person is told who has it applied; empty if it was written."""
    try:
        deliver_many(many, Outputs(apply=True, yes=True))
    except AfterburnerError as error:
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.nightly
def test_what_crashes_hangs_or_skips_the_tests_is_not_written(sandbox: Sandbox, shop: Path) -> None:
    path = shop / "shop" / "texts.py"
    original = path.read_text()
    before = check_tests(sandbox, shop / "shop", RunSettings(str(shop / "shop")), LIMIT_S, {})
    assert before == Suite(7, (), complete=True)
    wrong = {
        "crashes": ("import os\n\nos._exit(0)\n", before, LIMIT_S),
        "hangs": ("while True:\n    pass\n", before, 4.0),
        "skips": ("import pytest\n\npytest.skip('not here', allow_module_level=True)\n", before, LIMIT_S),
        "fails": ("raise ValueError\n", before, LIMIT_S),
        "nothing is known of the original": ("RIGHT = 2\n", None, LIMIT_S),
        "nothing passed before": ("raise ValueError\n", NONE_PASSED, LIMIT_S),
    }
    told = {}
    for what, (change, known, limit_s) in wrong.items():
        told[what] = applied(checked(sandbox, shop, change, known, limit_s))
        assert path.read_text() == original, what
        assert "Nothing was written" in told[what], what
        assert "--patch DIR" in told[what], what
    assert "tests/test_texts.py" in told["fails"]
    assert "passed, and 7 before" in told["skips"]
    assert "is not known" in told["nothing is known of the original"]
    assert applied(checked(sandbox, shop, "RIGHT = 1\n", before)) == ""
    assert "RIGHT = 1" in path.read_text()


def test_a_command_that_fails_vouches_for_nothing(shop: Path) -> None:
    path = shop / "shop" / "texts.py"
    target = find_target(path, None, whole_program=True)
    many = ManyResult(shop, RunSettings(str(shop), batch=BatchPlace(command=("app.py",), top=3)), new_run_id())
    failed = Suite(0, ("the command",), complete=True)
    many.tests = SuiteCheck(failed, failed)
    many.merged = Merged({str(path): b"x = 1\n"}, {str(path): (target, "x = 1\n")})
    assert "nothing shows that the command still passes" in applied(many)
    assert path.read_text() == target.source
    cut = replace(failed, complete=False)
    many.tests = SuiteCheck(cut, Suite(1, (), complete=True))
    assert "the time was over before anything passed without the offers" in applied(many)
    many.tests = SuiteCheck(Suite(1, (), complete=True), Suite(1, (), complete=True))
    assert applied(many) == ""
    assert path.read_text() == "x = 1\n"


@dataclass
class Offer:
    """As much of a result as is needed here."""

    target: Target
    best_source: str


def improved(shop: Path, function: str, *change: str) -> Outcome:
    path = shop / "shop" / "names.py"
    text = path.read_text()
    assert change[0] in text
    ranked = RankedTarget(str(path), function, 1.0, 1.0, 1, ())
    result = cast("RunResult", Offer(find_target(path, function), text.replace(*change)))
    return Outcome(ranked, "improved", "it is faster", RunSettings(str(path)), result)


@pytest.mark.slow
def test_only_the_rewrite_that_breaks_a_test_is_left_out(sandbox: Sandbox, shop: Path) -> None:
    before = check_tests(sandbox, shop / "shop", RunSettings(str(shop / "shop")), LIMIT_S, {})
    many = ManyResult(shop / "shop", RunSettings(str(shop / "shop")), new_run_id(), suite=before)
    many.outcomes = [
        improved(shop, "common", "if name in right:", "if name in set(right):"),
        improved(shop, "Shelf.missing", "result.append(title)", "result[:] = [title]"),
        improved(shop, "later", "return 1\n\n\ndef never", "return int(1)\n\n\ndef never"),
    ]
    many.merge(lambda _result, _settings: True)
    check_offers(many, sandbox, LIMIT_S, lambda _result, _settings: True)
    assert [each.decision for each in many.outcomes] == ["improved", "no_improvement", "improved"]
    assert "with it in place tests/test_names.py::test_missing failed, and passed before" in many.outcomes[1].reason
    assert many.objection == ""
    [(_, text)] = many.merged.sources.values()
    assert "set(right)" in text
    assert "int(1)" in text
    assert "[title]" not in text


def test_a_test_that_fails_once_and_not_again_costs_no_rewrite(
    sandbox: Sandbox, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Suite(7, (), complete=True)
    many = ManyResult(shop / "shop", RunSettings(str(shop / "shop")), new_run_id(), suite=before)
    many.outcomes = [improved(shop, "common", "if name in right:", "if name in set(right):")]
    many.merge(lambda _result, _settings: True)
    answers = iter([Suite(6, ("tests/test_luck.py::test_luck",), complete=True), before])
    monkeypatch.setattr(check, "check_tests", lambda *_: next(answers))  # no test fails every other time by itself
    check_offers(many, sandbox, LIMIT_S, lambda _result, _settings: True)
    assert [each.decision for each in many.outcomes] == ["improved"]
    assert many.objection == ""
    assert many.tests_note == (
        "tests/test_luck.py::test_luck failed once with the offers in place, and passed when run again"
    )
