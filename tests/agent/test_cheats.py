"""Rewrites that cheat are refused with the right reason, and honest ones beside them are accepted.

They lie in `cheats/`, one file for each original. A heading names a rewrite and says whether it is a cheat or honest;
under a cheat's stand marks of pytest's, the decisions that are right, and what the reason has to match. Each goes
through the real loop, in the real sandbox; only what the original needs beforehand is shared.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from afterburner.agent import session as running
from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import RunClock
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.loop.graph import Loop, empty_state
from afterburner.agent.loop.state import LoopState
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.options import RunSettings, Search
from afterburner.agent.types import Decision, JudgedCandidate, Objective
from afterburner.sandbox.sandbox import Sandbox

SECTION = re.compile(
    r"^## (cheat|honest): ([^\n]+)\n\n(?:([a-z_|]+): ([^\n]+)\n\n)?```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
ORIGINAL = re.compile(r"^# ([\w.]+)$.*?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sample:
    """One rewrite, and what should become of it."""

    file: str
    title: str
    code: str
    honest: bool
    decisions: frozenset[Decision]
    reason: str  # a regular expression
    marks: frozenset[str]  # of pytest

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


def read_original(path: Path) -> tuple[str, str]:
    """The function, and the text of the file that it is in."""
    found = ORIGINAL.search(path.read_text(encoding="utf-8"))
    assert found is not None, path
    return found[1], found[2]


def read_samples(path: Path) -> list[Sample]:
    """All rewrites in a file, in its order."""
    text = path.read_text(encoding="utf-8")
    samples = []
    for kind, title, expected, reason, code in SECTION.findall(text):
        words = set(expected.split("|")) if expected else {"timed", "slow", "improved"}
        marks = words & {"timed", "slow"}
        decisions = frozenset(map(Decision, words - marks))
        samples.append(Sample(path.stem, title, code, kind == "honest", decisions, reason, frozenset(marks)))
    assert len(samples) == text.count("\n## "), f"{path}: a section is not in the form of the others"
    return samples


FOLDER = Path(__file__).parent / "cheats"
SAMPLES = [sample for path in sorted(FOLDER.glob("*.md")) for sample in read_samples(path)]
CHEATS = [sample for sample in SAMPLES if not sample.honest]

A_LONG_TIME_S = 3600.0  # for all rewrites of an original

Prepared = tuple[Loop, LoopState]


class OneAnswer:
    """Proposes one rewrite, once."""

    name = "one answer"

    def __init__(self, code: str) -> None:
        self._code = code

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        return [Proposal(self.name, parse_answer_code(self._code, request.target))]


@pytest.fixture(scope="module")
def prepare(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Callable[[str], Prepared]:
    """A loop that has measured the original of a file, once for all its rewrites."""
    known: dict[str, Prepared] = {}

    def prepared(name: str) -> Prepared:
        if name not in known:
            loop = make_loop(name, tmp_path_factory.mktemp(name) / "slow.py", sandbox)
            known[name] = loop, loop.prepare(empty_state())
            search = DifferenceSearch(loop.bench, loop.bench.target.source, 0, shrinking_s=0.0)
            loop._confirm_with()._search = search  # how small a difference can be made is not looked at here
        return known[name]

    return prepared


def make_loop(name: str, path: Path, sandbox: Sandbox) -> Loop:
    function, source = read_original(FOLDER / f"{name}.md")
    path.write_text(source)
    settings = RunSettings(file=str(path), function=function, search=Search(iterations=1))
    target = find_target(path, function)
    environment = stage(target, sandbox, settings.inputs.python).environment
    clock = RunClock.start(A_LONG_TIME_S)
    return Loop(
        bench=running._bench(settings, target, sandbox, environment, lambda _: None),
        proposer=OneAnswer(""),
        judge=Judge(Objective.TIME, settings.proof.effect, 0),
        settings=settings,
        search_until=clock.search_until,
        confirm_until=clock.confirm_until,
        on_event=lambda _: None,
    )


def judged(sample: Sample, prepared: Prepared) -> JudgedCandidate:
    """What becomes of a rewrite from its proposal to its confirmation."""
    loop, state = prepared
    loop.proposer = OneAnswer(sample.code)
    loop.tests.begun = 0  # as in a run of its own
    for node in (loop.generate, loop.profile, loop.select, loop.finish):
        state = state | node(state)  # type: ignore[operator]  # what a node returns is a part of the state
    [record] = state["records"]
    return record


def as_parameters(samples: Sequence[Sample]) -> list[ParameterSet]:
    return [
        pytest.param(sample, id=str(sample), marks=[getattr(pytest.mark, mark) for mark in sorted(sample.marks)])
        for sample in samples
    ]


@pytest.mark.parametrize("sample", as_parameters(CHEATS))
def test_a_cheat_is_refused_with_its_reason(sample: Sample, prepare: Callable[[str], Prepared]) -> None:
    record = judged(sample, prepare(sample.file))
    assert record.decision in sample.decisions, f"{record.decision}: {record.reason}"
    assert re.search(sample.reason, record.reason), record.reason


@pytest.mark.parametrize("sample", as_parameters([sample for sample in SAMPLES if sample.honest]))
def test_an_honest_rewrite_is_accepted(sample: Sample, prepare: Callable[[str], Prepared]) -> None:
    record = judged(sample, prepare(sample.file))
    assert record.decision is Decision.IMPROVED, record.reason


def test_there_are_enough_of_both() -> None:
    """At least forty cheats and twenty honest rewrites, and no two of the same name."""
    assert len(CHEATS) >= 40
    assert len(SAMPLES) - len(CHEATS) >= 20
    assert len({str(sample) for sample in SAMPLES}) == len(SAMPLES)
