"""Files where the tempting rewrite is wrong.

It has to be refused; what the rules make of the same file has to be right, if they offer anything at all. Both are
judged as in a run, and not timed: the original of a file is prepared once for the two.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from loops import MeasuredOriginal, OneAnswer, UntimedJudge

from afterburner.agent.judge.decide import Judge
from afterburner.agent.loop.results import winner_source
from afterburner.agent.models.rules_proposer import RulesProposer
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Program, TestCase
from afterburner.sandbox.sandbox import Sandbox

TRAPS = Path(__file__).parent / "traps"
NAMES = sorted(path.stem for path in TRAPS.glob("*.py") if not path.stem.endswith(".tempting"))
NOT_FASTER = {"nothing_to_gain"}  # right, but no gain: refused for that
# The tempting rewrite passes every captured call and every edge case near one: only made inputs tell.
HIDDEN = {"floor_division", "machine_integers", "stable_order", "true_is_one", "upper_case"}
BY_DAY = {
    "mutated_argument",
    "nothing_to_gain",
    "stable_order",
    "unhashable",
}  # the others at night
# A real call tells, or an input that is made from it, whichever comes first.
EITHER = {"early_exit", "hash_order", "outside_state"}
Trap = tuple[Path, MeasuredOriginal]


def by_day(names: Sequence[str]) -> list[str | ParameterSet]:
    """The same, most of them for the night."""
    return [name if name in BY_DAY else pytest.param(name, marks=pytest.mark.nightly) for name in names]


@pytest.fixture(scope="module")
def trap(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Iterator[Trap]:
    """A file in a folder of its own, and its original as it was measured."""
    path = tmp_path_factory.mktemp(request.param) / f"{request.param}.py"
    path.write_text((TRAPS / path.name).read_text())
    yield path, MeasuredOriginal.of(RunSettings(file=str(path), function=tempted(request.param)), sandbox)
    assert path.read_text() == (TRAPS / path.name).read_text()


def tempted(name: str) -> str:
    """The function that the tempting rewrite defines."""
    tree = ast.parse((TRAPS / f"{name}.tempting.py").read_text())
    return next(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def judged(trap: Trap, judge: type[Judge]) -> JudgedCandidate:
    """What becomes of the tempting rewrite, which could be improved on once more."""
    path, original = trap
    answer = (TRAPS / f"{path.stem}.tempting.py").read_text()
    [record] = original.judge(OneAnswer(answer), judge, rounds=2)["records"]
    return record


@pytest.mark.floor
@pytest.mark.slow
@pytest.mark.parametrize("trap", by_day(sorted(set(NAMES) - NOT_FASTER)), indirect=True)
def test_the_tempting_rewrite_is_refused_with_a_reason(trap: Trap) -> None:
    record = judged(trap, UntimedJudge)
    name = trap[0].stem
    # What only made inputs tell may hang on something that holds in every captured call.
    allowed = {Decision.WRONG, Decision.CONDITIONAL} if name in HIDDEN | EITHER else {Decision.WRONG}
    assert record.decision in allowed, record.reason
    assert record.reason
    assert tempted(name) in (record.counterexample or "")
    is_hidden = "made from the real ones" in record.reason or record.decision is Decision.CONDITIONAL
    assert is_hidden == (name in HIDDEN) or name in EITHER, "only made inputs tell: it belongs in HIDDEN"


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("trap", sorted(NOT_FASTER), indirect=True)
def test_a_tempting_rewrite_that_is_right_is_refused_for_its_time(trap: Trap) -> None:
    record = judged(trap, Judge)
    assert record.decision is Decision.NOT_BETTER, record.reason


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("brief_search")
@pytest.mark.parametrize("trap", by_day(NAMES), indirect=True)
def test_what_the_rules_make_of_it_prints_the_same(trap: Trap, sandbox: Sandbox) -> None:
    path, original = trap
    state = original.judge(RulesProposer())
    best = winner_source(state) if state["confirmation"] and state["confirmation"].confirmed else path.read_text()
    [before] = sandbox.run(Program("python", path.read_text()), [TestCase()]).cases
    [after] = sandbox.run(Program("python", best), [TestCase()]).cases
    assert after.stdout == before.stdout
    assert after.exit_code == before.exit_code == 0


def test_what_is_tried_by_day_is_there() -> None:
    assert set(NAMES) >= BY_DAY


def test_there_are_traps_enough() -> None:
    """Fifteen wrong rewrites and more, and several that no captured call gives away."""
    assert len(set(NAMES) - NOT_FASTER) >= 15
    assert set(NAMES) > HIDDEN
