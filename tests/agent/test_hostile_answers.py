"""A hostile or absurd answer costs that candidate alone: it is refused with its reason, and the run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import loops
import pytest
from loops import UntimedJudge, open_bench

from afterburner.agent.judge import gates
from afterburner.agent.loop import admission, placing
from afterburner.agent.loop.admission import objections
from afterburner.agent.loop.state import empty_state
from afterburner.agent.models.requests.model_answers import ModelAnswer, proposal_of
from afterburner.agent.models.requests.secrets import Scrubber
from afterburner.agent.options import RunSettings, Search
from afterburner.agent.types import Candidate, Decision

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.types import JudgedCandidate
    from afterburner.sandbox.sandbox import Sandbox

SLOW = """\
def common(left, right):
    found = []
    for value in left:
        if value in right:
            found.append(value)
    return found


if __name__ == "__main__":
    for size in (500, 600, 700, 800):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""
HONEST = "    return [value for value in left if value in right]\n"
HEAD = "def common(left, right):\n"
# Each with what its reason says.
HOSTILE = {
    "a long hexadecimal number": (f"{HEAD}    return 0x{'f' * 5000}\n", "a number of more than 4,300 digits"),
    "in a helper": (f"A = 0x{'f' * 5000}\n{HEAD}    return A\n", "a number of more than 4,300 digits"),
    "a long decimal number": (f"{HEAD}    return {'9' * 5000}\n", "digits"),
    "a sum of 3,000": (f"{HEAD}    return {' + '.join(['left'] * 3000)}\n", "nested too deeply"),
    "a sum of 800": (f"{HEAD}    return {' + '.join(['left'] * 800)}\n", "nested too deeply"),
    "parentheses": (f"{HEAD}    return {'(' * 5000}\n", "not Python"),
    "null characters": (f"{HEAD}    return '\0'\n", "not Python"),
    "half a surrogate pair": (f"{HEAD}    return '\ud800'\n", "not Python"),
    "nothing": ("", "no code"),
}


@dataclass
class Answering:
    """Gives the same answers as a model would, in the first round."""

    codes: list[str]
    name: str = "m"

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        answers = [f"<thinking>t</thinking>\n<solution>\n```python\n{code}\n```\n</solution>" for code in self.codes]
        return [
            proposal_of(ModelAnswer(answer, "m"), request.target, "m", Scrubber({}), until=request.until)
            for answer in (answers if request.iteration == 1 else [])
        ]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Workbench:
    path = tmp_path_factory.mktemp("project") / "matching.py"
    path.write_text(SLOW)
    return open_bench(RunSettings(file=str(path), function="common"), sandbox)


def one_round(bench: Workbench, codes: list[str]) -> list[JudgedCandidate]:
    """What becomes of answers with this code, without timing."""
    settings = RunSettings(file=bench.target.path, function="common", search=Search(iterations=1))
    loop = loops.make_loop(bench, settings, Answering(codes), UntimedJudge)
    state = dict(loop.prepare(empty_state()))
    state |= loop.generate(cast("LoopState", state))
    state |= loop.profile(cast("LoopState", state))
    return cast("LoopState", state)["records"]


def test_hostile_answers_cost_themselves_alone(bench: Workbench) -> None:
    *hostile, honest = one_round(bench, [*(code for code, _ in HOSTILE.values()), HEAD + HONEST])
    for record, (what, (_, reason)) in zip(hostile, HOSTILE.items(), strict=True):
        assert record.decision is Decision.REFUSED, what
        assert reason in record.reason, what
    assert honest.decision is Decision.PROMISING


@pytest.mark.parametrize(
    ("module", "step", "reason"),
    [
        (placing, "splice", "The answer cannot be put in place: ZeroDivisionError: by its text"),
        (admission, "refusal", "The answer cannot be checked: ZeroDivisionError: by its text"),
        (admission, "key_of", "The answer cannot be compared: ZeroDivisionError: by its text"),
    ],
)
def test_whatever_goes_wrong_with_one_answer_the_others_are_judged(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, module: object, step: str, reason: str
) -> None:
    """An error that nobody thought of, on the text of one of them."""
    carried_out = getattr(module, step)

    def failing(*given: object) -> object:
        if "no_one_thought_of_it" in str(given):
            raise ZeroDivisionError("by its text")
        return carried_out(*given)

    monkeypatch.setattr(module, step, failing)
    records = one_round(bench, [f"{HEAD}    no_one_thought_of_it = 1\n    return []\n", HEAD + HONEST])
    assert [record.decision for record in records] == [Decision.REFUSED, Decision.PROMISING]
    assert records[0].reason == reason


def candidate(number: int, source: str = "", error: str = "") -> Candidate:
    return Candidate(f"1.{number}", 1, "m", source=source, error=error)


def test_what_is_judged_fits_passes_the_gates_and_is_new() -> None:
    original = "def f(x):\n    return x\n"
    earlier = candidate(1, "def f(x):\n    return x + 2\n")
    found = objections(
        [
            candidate(2, error="The answer is not Python."),
            candidate(3, "import sys\ndef f(x):\n    return sys._getframe(x)\n"),
            candidate(4, "def f(x):  # the same\n    return x\n"),
            candidate(5, "def f(x):\n    return x + 2  # again\n"),
            candidate(6, "def f(x):\n    return x + 3\n"),
            candidate(7, "def f(x):\n    return x +  3\n"),
        ],
        [earlier],
        original,
        "python",
    )
    assert found == {
        "1.2": "The answer is not Python.",
        "1.3": "it looks at its own caller (sys._getframe, line 3)",
        "1.4": "the same code as original",
        "1.5": "the same code as 1.1",
        "1.7": "the same code as 1.6",
    }


def test_code_that_the_gates_cannot_read_is_refused() -> None:
    """The user's Python may well run what ours is nested too deeply for."""
    deep = f"def f(x):\n    return {' + '.join(['x'] * 700)}\n"
    for text in (deep, f"def f(x):\n    return 0x{'f' * 5000}\n"):
        found = gates.read_rewrite("def f(x):\n    return x\n", text)
        assert [each.kind for each in found] == ["text"]
