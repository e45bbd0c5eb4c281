"""Files where the tempting rewrite is wrong.

It is injected as a recorded answer and has to be refused; what the rules make of the same file has to be right, if they
offer anything at all.
"""

import ast
import json
from pathlib import Path

import pytest

from afterburner.agent import optimize
from afterburner.agent.types import Decision
from afterburner.sandbox import Program, TestCase
from afterburner.sandbox.sandbox import Sandbox

TRAPS = Path(__file__).parent / "traps"
NAMES = sorted(path.stem for path in TRAPS.glob("*.py") if not path.stem.endswith(".tempting"))
NOT_FASTER = {"nothing_to_gain"}  # right, but no gain: refused for that
# The tempting rewrite passes every captured call and every edge case near one: only made inputs tell.
HIDDEN = {"floor_division", "machine_integers", "stable_order", "true_is_one", "upper_case"}


@pytest.fixture
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"{request.param}.py"
    path.write_text((TRAPS / path.name).read_text())
    return path


def tempted(trap: Path) -> str:
    """The function that the tempting rewrite defines."""
    tree = ast.parse((TRAPS / f"{trap.stem}.tempting.py").read_text())
    return next(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def recording_of(trap: Path, folder: Path) -> Path:
    code = (TRAPS / f"{trap.stem}.tempting.py").read_text()
    answer = f"<thinking>This looks faster.</thinking><solution>\n```python\n{code}```\n</solution>"
    recording = folder / "answers.jsonl"
    recording.write_text(json.dumps({"content": answer}) + "\n")
    return recording


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("trap", NAMES, indirect=True)
def test_the_tempting_rewrite_is_refused_with_a_reason(trap: Path, tmp_path: Path) -> None:
    before = trap.read_bytes()
    recording = recording_of(trap, tmp_path)
    result = optimize(trap, function=tempted(trap), model=f"replay:{recording}", max_seconds=60)
    assert not result.improved
    assert result.patch == ""
    [candidate] = result.candidates
    expected = Decision.NOT_BETTER if trap.stem in NOT_FASTER else Decision.WRONG
    assert candidate.decision is expected, candidate.reason
    assert candidate.reason
    if trap.stem not in NOT_FASTER:
        assert tempted(trap) in (candidate.counterexample or "")
        assert ("made from the real ones" in candidate.reason) == (trap.stem in HIDDEN)
    assert trap.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("trap", NAMES, indirect=True)
def test_what_the_rules_make_of_it_prints_the_same(trap: Path, sandbox: Sandbox) -> None:
    result = optimize(trap, function=tempted(trap), model="rules", max_seconds=20)
    [original] = sandbox.run(Program("python", trap.read_text()), [TestCase()]).cases
    [rewritten] = sandbox.run(Program("python", result.best_source), [TestCase()]).cases
    assert rewritten.stdout == original.stdout
    assert rewritten.exit_code == original.exit_code == 0


def test_there_are_traps_enough() -> None:
    """Fifteen wrong rewrites and more, and several that no captured call gives away."""
    assert len(set(NAMES) - NOT_FASTER) >= 15
    assert set(NAMES) > HIDDEN
