"""Rewrites that cheat are refused with the right reason, and honest ones beside them are accepted.

They lie in `cheats/`, one file for each original. A heading names a rewrite and says whether it is a cheat or honest;
under a cheat's stand marks of pytest's, the decisions that are right, and what the reason has to match. Each goes
through the real loop, in the real sandbox; what the original needs beforehand is shared. Only those are timed that
nothing but their time gives away, and one honest rewrite of some originals; the others of both at night.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from loops import MeasuredOriginal, OneAnswer, UntimedJudge

from afterburner.agent.judge.decide import Judge
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision, JudgedCandidate
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
        words = set(expected.split("|")) if expected else {"improved"}
        marks = words & {"timed", "slow"}
        decisions = frozenset(map(Decision, words - marks))
        samples.append(Sample(path.stem, title, code, kind == "honest", decisions, reason, frozenset(marks)))
    assert len(samples) == text.count("\n## "), f"{path}: a section is not in the form of the others"
    return samples


FOLDER = Path(__file__).parent / "cheats"
PROVEN_BY_DAY = frozenset({"common"})  # its honest rewrite takes little
MOST_BY_DAY = 4  # cheats on one original
SAMPLES = [sample for path in sorted(FOLDER.glob("*.md")) for sample in read_samples(path)]
CHEATS = [sample for sample in SAMPLES if not sample.honest]
HONEST = [sample for sample in SAMPLES if sample.honest]

Measure = Callable[[str], MeasuredOriginal]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Measure:
    """The original of a file, measured once for all its rewrites."""

    @cache
    def original_of(name: str) -> MeasuredOriginal:
        function, source = read_original(FOLDER / f"{name}.md")
        path = tmp_path_factory.mktemp(name) / "slow.py"
        path.write_text(source)
        return MeasuredOriginal.of(RunSettings(file=str(path), function=function), sandbox)

    return original_of


def judged(sample: Sample, measured: Measure, judge: type[Judge]) -> JudgedCandidate:
    """What becomes of a rewrite from its proposal to its confirmation."""
    [record] = measured(sample.file).judge(OneAnswer(sample.code), judge)["records"]
    return record


def as_parameters(samples: Sequence[Sample], *marks: str) -> list[ParameterSet]:
    """With their marks and these; the first of each original are for the day, timed ones of few originals."""
    parameters, timed, seen = [], set(), Counter[str]()
    for sample in samples:
        names = sample.marks | {*marks}
        seen[sample.file] += 1
        if "timed" in names and (sample.file in timed or sample.file not in PROVEN_BY_DAY):
            names |= {"nightly"}
        elif "timed" in names:
            timed.add(sample.file)
        elif seen[sample.file] > MOST_BY_DAY:
            names |= {"nightly"}
        marked = [getattr(pytest.mark, name) for name in sorted(names)]
        parameters.append(pytest.param(sample, id=str(sample), marks=marked))
    return parameters


@pytest.mark.parametrize("sample", as_parameters(CHEATS))
def test_a_cheat_is_refused_with_its_reason(sample: Sample, measured: Measure) -> None:
    record = judged(sample, measured, Judge if "timed" in sample.marks else UntimedJudge)
    assert record.decision in sample.decisions, f"{record.decision}: {record.reason}"
    assert re.search(sample.reason, record.reason), record.reason


@pytest.mark.floor
@pytest.mark.parametrize("sample", as_parameters(HONEST, "timed", "slow"))
def test_an_honest_rewrite_is_proven_to_be_faster(sample: Sample, measured: Measure) -> None:
    record = judged(sample, measured, Judge)
    assert record.decision is Decision.IMPROVED, record.reason


def test_what_is_proven_by_day_is_there() -> None:
    assert {sample.file for sample in HONEST} >= PROVEN_BY_DAY


def test_there_are_enough_of_both() -> None:
    """At least forty cheats and twenty honest rewrites, and no two of the same name."""
    assert len(CHEATS) >= 40
    assert len(HONEST) >= 20
    assert len({str(sample) for sample in SAMPLES}) == len(SAMPLES)
