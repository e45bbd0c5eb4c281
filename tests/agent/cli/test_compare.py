"""`afterburner-agent compare` as a person and a script meet it; the gains are large, so that no noise matters."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from afterburner.agent import CancelledError, CancelToken, Job, Proof, Search, open_session
from afterburner.agent.cli.compare_document import document_of
from afterburner.agent.events import EventKind
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.judge.text_objections import TextObjections
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionFindings
from afterburner.agent.page.comparison_section import figure_of_comparison, section_of_comparison, times_of
from afterburner.agent.page.render import render_page
from afterburner.agent.session.compare import in_light_of_growth
from afterburner.agent.types import Gain
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.sandbox import Sandbox

MAIN = """

if __name__ == "__main__":
    for size in (150, 250, 350):
        pairs([n * 7 % 251 for n in range(size)])
"""
SLOW = """\
def pairs(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
"""
FAST = "def pairs(items):\n    return list(dict.fromkeys(items))\n"
WRONG = "def pairs(items):\n    return sorted(set(items))\n"
CHEAT = """\
import sys

_known = {}


def pairs(items):
    sys._getframe(1)
    return list(dict.fromkeys(items))
"""
LIMITS = ("--max-seconds", "240", "--quiet")  # far more than it takes: a busy machine is no reason to fail
SCHEMA = json.loads((files("afterburner.agent.cli") / "compare-schema.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is none
    path = tmp_path / "project"
    path.mkdir()
    for name, text in {"slow.py": SLOW, "fast.py": FAST, "wrong.py": WRONG, "cheat.py": CHEAT}.items():
        (path / name).write_text(text + MAIN, encoding="utf-8")
    return path


def compared(program: CommandLine, folder: Path, *words: str, code: int = 0) -> dict[str, Any]:
    """The document of a comparison, which is valid."""
    done = program("compare", *words, *LIMITS, "--json", "-", folder=folder)
    assert done.returncode == code, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    return document


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


BANDS = """\
def bands(limits, values):
    return [sum(limit <= value for limit in limits) for value in values]
"""
BISECT = """\
from bisect import bisect_right


def bands(limits, values):
    return [bisect_right(limits, value) for value in values]
"""
CALLS = """

if __name__ == "__main__":
    bands([1, 5, 9], [0, 3, 9])
    bands([2, 4], [1, 7, 8])
"""


@pytest.mark.nightly
@pytest.mark.slow
def test_a_difference_on_a_condition_can_end_the_command_with_a_code_of_its_own(
    program: CommandLine, folder: Path
) -> None:
    (folder / "bands.py").write_text(BANDS + CALLS, encoding="utf-8")
    (folder / "bisected.py").write_text(BISECT + CALLS, encoding="utf-8")
    document = compared(program, folder, "bands.py", "bisected.py", "--fail-on", "conditional", code=5)
    assert document["decision"] == "conditional"
    assert "`limits` ascends" in document["reason"]


@pytest.mark.floor
@pytest.mark.slow
def test_a_difference_is_shown_and_reaches_the_exit_code(program: CommandLine, folder: Path) -> None:
    words = ("--fail-on", "slower,different", "--html", "page.html")
    document = compared(program, folder, "slow.py", "wrong.py", *words, code=5)
    assert document["decision"] == "different"
    [call] = document["counterexample"]["calls"]
    assert call.startswith("pairs([")
    assert document["gain"] is None
    page = (folder / "page.html").read_text("utf-8")
    assert '<p class="verdict bad"><strong>Different:</strong>' in page
    assert f"for     {escape(call)}\n" in page
    assert "<del>-" in page, "the change"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_faster_version_is_proven_and_its_receipt_replays(program: CommandLine, folder: Path) -> None:
    words = ("--receipt", "receipt.json", "--html", "page.html")
    (folder / "page.html").write_text("of the comparison before: no part of the project", encoding="utf-8")
    document = compared(program, folder, "slow.py", "fast.py", "-f", "pairs", *words)
    assert document["decision"] == "faster", document["reason"]
    assert document["gain"]["low"] > 1 + document["min_effect"]
    assert document["gain"]["confidence"] == 0.99
    assert document["memory"]["after"]["peak_memory_kib"] > 0
    assert document["growth"]["points"]
    assert document["made_inputs"]
    page = (folder / "page.html").read_text("utf-8")
    assert page.count('<circle class="before"') == page.count('<circle class="after"') >= document["gain"]["blocks"]
    assert '<svg class="picture growth"' in page
    replayed = program("replay-receipt", "receipt.json", "--project", ".", "--json", "-", folder=folder)
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["answer"] == "confirmed"


def in_python(sandbox: Sandbox, folder: Path, before: str, after: str, max_seconds: float = 60) -> ComparisonResult:
    """The comparison of two files by the public door, without growth, which takes longest."""
    jobs = [Job.from_file(folder / name, function="pairs") for name in (before, after)]
    with open_session(sandbox=sandbox, store=None) as session:
        return session.compare(*jobs, Search(max_seconds=max_seconds), proof=Proof(growth=False))


@pytest.mark.nightly
@pytest.mark.slow
def test_a_slow_down_is_told_from_the_other_side(sandbox: Sandbox, folder: Path) -> None:
    result = in_python(sandbox, folder, "fast.py", "slow.py")
    assert result.decision == "slower", result.compared.reason
    assert result.compared.gain is not None
    assert result.compared.gain.high < 1 / (1 + result.min_effect.value)
    assert result.growth is None
    cpu_time, _, change = times_of(result)
    assert cpu_time.startswith("CPU time: ")
    assert change.startswith("after is ")
    assert change.endswith("x slower")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_page_names_the_figure_that_decided_wherever_it_tells_of_one(sandbox: Sandbox, folder: Path) -> None:
    sleeping = FAST.replace("    return", "    __import__('time').sleep(0.005)\n    return")
    (folder / "sleeping.py").write_text(sleeping + MAIN, encoding="utf-8")
    result = in_python(sandbox, folder, "fast.py", "sleeping.py")
    assert result.decision == "slower", result.compared.reason
    assert result.compared.reason.startswith("wall time ")
    section = section_of_comparison(result)
    assert dict(section.facts)["Compared"] == figure_of_comparison(result) == "wall time"
    assert section.samples is not None
    assert section.samples.noun == "wall time"
    assert [row.name for row in section.figures if row.decides] == ["wall time"]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_gain_that_ends_at_a_time_limit_on_inputs_a_little_larger_is_a_loss_and_no_difference(
    sandbox: Sandbox, folder: Path
) -> None:
    endless = "def pairs(items):\n    while len(items) > 400:\n        pass\n    return list(dict.fromkeys(items))\n"
    (folder / "endless.py").write_text(endless + MAIN, encoding="utf-8")
    result = in_python(sandbox, folder, "slow.py", "endless.py", max_seconds=20)
    assert result.decision == "slower", result.compared.reason
    assert result.compared.reason.startswith("AFTER reached the time limit of ")


@pytest.mark.nightly
@pytest.mark.slow
def test_what_an_offer_is_refused_for_is_neither_called_faster_nor_its_loss_slower(
    sandbox: Sandbox, folder: Path
) -> None:
    for before, after in (("slow.py", "cheat.py"), ("cheat.py", "slow.py")):
        result = in_python(sandbox, folder, before, after)
        assert result.decision == "too_noisy"
        assert "sys._getframe" in result.compared.objection
        assert result.compared.objection.startswith("BEFORE looks better than AFTER") == (before == "cheat.py")


CALLER = "import helper\n\n\ndef pairs(items):\n    return helper.pairs(items)\n" + MAIN


@pytest.mark.nightly
@pytest.mark.slow
def test_each_version_runs_with_its_own_unsaved_helpers(sandbox: Sandbox, folder: Path) -> None:
    caller, helper = folder / "caller.py", str(folder / "helper.py")
    caller.write_text(CALLER, encoding="utf-8")
    (folder / "helper.py").write_text(SLOW, encoding="utf-8")
    saved = Job.from_file(caller, function="pairs")
    unsaved = Job.from_text(caller, CALLER, function="pairs", others={helper: WRONG})
    with open_session(sandbox=sandbox, store=None) as session:
        for jobs in ((saved, unsaved), (unsaved, saved)):
            result = session.compare(*jobs, Search(max_seconds=60), proof=Proof(growth=False))
            assert result.decision == "different", result.compared.reason
            assert result.changed_files == ("helper.py",)


def test_unsaved_helpers_that_could_not_be_used_are_refused(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    buffer = Job.from_text(other / "faster.py", FAST, function="pairs", others={str(other / "helper.py"): FAST})
    with open_session(sandbox=sandbox, store=None) as session, pytest.raises(UsageError, match=r"helper\.py cannot be"):
        session.compare(Job.from_file(folder / "slow.py", function="pairs"), buffer)


def test_two_functions_are_not_compared(sandbox: Sandbox, folder: Path) -> None:
    """Whatever else AFTER's file holds, one name is compared in both."""
    (folder / "two.py").write_text(FAST + "\n\ndef others(items):\n    return items\n" + MAIN, encoding="utf-8")
    before, after = (Job.from_file(folder / "two.py", function=name) for name in ("pairs", "others"))
    with open_session(sandbox=sandbox, store=None) as session, pytest.raises(UsageError, match="pairs and others"):
        session.compare(before, after)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_name_that_after_alone_gives_is_that_of_before_too(sandbox: Sandbox, folder: Path) -> None:
    others = "def others(items):\n    return items{}\n\n\n"
    before = Job.from_text(folder / "two.py", others.format("") + SLOW + MAIN)
    after = Job.from_text(folder / "two.py", others.format("[:]") + WRONG + MAIN, function="pairs")
    with open_session(sandbox=sandbox, store=None) as session:
        result = session.compare(before, after, Search(max_seconds=60), proof=Proof(growth=False))
    assert result.target.function == "pairs"


WRAPPING = """\
import functools


def double(number):
    return 2 * number


def memo(function):
    cache = {}

    @functools.wraps(function)
    def inner(*given):
        if given not in cache:
            cache[given] = function(*given)
        return cache[given]

    return inner


if __name__ == "__main__":
    memo(double)
"""


@pytest.mark.slow
def test_a_call_that_returns_a_closure_is_no_input_whatever_the_closure_is_called(
    program: CommandLine, folder: Path
) -> None:
    (folder / "memo.py").write_text(WRAPPING, encoding="utf-8")
    (folder / "wrong.py").write_text(WRAPPING.replace("return cache[given]", "return -cache[given]"), encoding="utf-8")
    done = program("compare", "memo.py", "wrong.py", "-f", "memo", *LIMITS, folder=folder)
    assert done.returncode == 4, done.stdout
    assert "its outcome cannot be compared (function" in done.stderr


CURRIED = """\
class Later:
    def __init__(self, function, *given):
        self.function, self.given = function, given

    def __call__(self, *given):
        given = (*self.given, *given)
        return self.function(*given) if len(given) > 1 else Later(self.function, *given)


@Later
def add(left, right):
    return left + right


if __name__ == "__main__":
    for number in range(2, 8):
        add(number)
"""


@pytest.mark.nightly
@pytest.mark.slow
def test_nothing_is_said_of_a_function_that_calls_only_give_back(program: CommandLine, folder: Path) -> None:
    (folder / "add.py").write_text(CURRIED, encoding="utf-8")
    slow = CURRIED.replace("    return left", "    for _ in range(100_000):\n        pass\n    return left")
    (folder / "slow_add.py").write_text(slow, encoding="utf-8")
    found = compared(program.untimed(), folder, "add.py", "slow_add.py", "-f", "add")
    assert found["decision"] == "too_noisy"
    assert "give back the function add, and what that does and takes was not measured" in found["reason"]


LATE = Growth("len(items)", (GrowthPoint(64, 0.1, None),), disagreement="it fails: time limit", too_slow=True)


@pytest.mark.parametrize(
    ("before", "growth", "texts", "decision"),
    [
        (ComparisonDecision.SAME, Growth(), "", "same"),
        (ComparisonDecision.SAME, LATE, "", "slower"),
        (ComparisonDecision.TOO_NOISY, LATE, "", "slower"),
        (ComparisonDecision.SLOWER, LATE, "", "slower"),
        (ComparisonDecision.SAME, LATE, "of BEFORE: it reads its caller", "too_noisy"),
        (ComparisonDecision.FASTER, LATE, "", "too_noisy"),
        (ComparisonDecision.FASTER, replace(LATE, too_slow=False), "", "different"),
    ],
)
def test_a_time_limit_on_larger_inputs_is_a_loss_and_no_difference(
    before: ComparisonDecision, growth: Growth, texts: str, decision: str
) -> None:
    measured = VersionFindings(before, "CPU time 1x", Gain(1.0, 0.99, 1.01, 0.99, 8))
    found = in_light_of_growth(measured, growth, TextObjections(before=texts))
    assert found.decision == decision
    if found.decision != before and growth.too_slow:
        assert (found.gain is None) == (decision == "slower")
        assert "len(items) up to 64" in found.reason or found.objection == texts


@pytest.mark.nightly
@pytest.mark.slow
def test_a_helper_that_changed_in_another_file_counts_between_revisions(program: CommandLine, folder: Path) -> None:
    helper, caller = folder / "helper.py", folder / "caller.py"
    helper.write_text(SLOW, encoding="utf-8")
    caller.write_text(CALLER, encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "slow")
    git(folder, "tag", "before")
    helper.write_text(FAST, encoding="utf-8")
    document = compared(program, folder, "caller.py", "--base", "main")
    assert document["decision"] == "faster", document["reason"]
    assert document["changed_files"] == ["helper.py"]
    assert document["before"]["revision"]
    assert document["after"]["revision"] is None
    helper.write_text(WRONG, encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "wrong")
    document = compared(program, folder, "caller.py", "--base", "before", "--head", "main")
    assert document["decision"] == "different"
    assert document["counterexample"]["calls"]


@pytest.mark.nightly
def test_the_same_text_is_neither_different_nor_proven_faster_or_slower(program: CommandLine, folder: Path) -> None:
    (folder / "again.py").write_text(SLOW.replace("found", "seen") + MAIN, encoding="utf-8")
    document = compared(program, folder, "slow.py", "again.py", "-f", "pairs")
    assert document["decision"] in {"same", "too_noisy"}, document["reason"]
    assert document["objection"] is None


def test_the_same_code_in_another_layout_is_the_same_at_once(sandbox: Sandbox, folder: Path) -> None:
    heard: list[EventKind] = []
    laid_out = SLOW.replace("    found = []", "    # those seen before\n    found = ([])")
    told = {laid_out: "only comments or the layout of the code differ", SLOW: "both versions are the same text"}
    for text, reason in told.items():
        job, other = (Job.from_text(folder / "slow.py", each + MAIN, function="pairs") for each in (SLOW, text))
        with open_session(sandbox=sandbox, store=None) as session:
            result = session.compare(job, other, on_event=lambda event: heard.append(event.kind))
        assert result.decision == "same"
        assert reason in result.compared.reason
        assert EventKind.RUNNING_BEFORE not in heard
        jsonschema.validate(json.loads(document_of(result).to_text()), SCHEMA)
        assert "The same" in render_page("x", (), [section_of_comparison(result)])


def test_the_same_code_is_judged_where_another_file_of_the_project_differs(sandbox: Sandbox, folder: Path) -> None:
    slow, helper = folder / "slow.py", folder / "helper.py"
    helper.write_text("LIMIT = 1\n", encoding="utf-8")
    before, after = (
        Job.from_text(slow, f"from helper import LIMIT\n{SLOW}{MAIN}{more}", function="pairs", others=others)
        for more, others in (("", {}), ("# the same\n", {str(helper): "LIMIT = 2\n"}))
    )
    cancel = CancelToken()

    def on_event(event: ProgressEvent) -> None:
        if event.kind is EventKind.RUNNING_BEFORE:
            cancel.cancel()

    with open_session(sandbox=sandbox, store=None) as session, pytest.raises(CancelledError):
        session.compare(before, after, on_event=on_event, cancel=cancel)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("slow.py",), "Give two files"),
        (("slow.py", "fast.py", "--base", "main"), "Give AFTER or --base, not both"),
        (("slow.py", "fast.py", "--head", "main"), "--head needs --base"),
        (("slow.py", "--base", "main"), "is no git repository"),
        (("slow.py", "fast.py", "-f", "triples"), "No function triples"),
        (("slow.py", "fast.py", "--fail-on", "worse"), "there is no decision worse"),
        (("slow.py", "nothing.py"), "nothing.py"),
    ],
)
def test_what_cannot_be_compared_is_said_plainly(
    program: CommandLine, folder: Path, words: tuple[str, ...], said: str
) -> None:
    done = program("compare", *words, *LIMITS, folder=folder)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
