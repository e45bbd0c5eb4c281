"""Receipts, measured again in the real sandbox."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from afterburner.agent.cli.replay_document import ReplayDocument
from afterburner.agent.cli.replay_receipt import headline_of
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import WorkloadError
from afterburner.agent.evidence.project_files import ProjectFile
from afterburner.agent.evidence.receipt import Receipt, make_receipt, receipt_bytes, sha256_of
from afterburner.agent.evidence.receipt_reading import parse_receipt
from afterburner.agent.evidence.replaying import Answer, _answer, _whole, replay_receipt
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent, confirmation_of
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision, Gain, HeldOut, Workload, WorkloadCase
from afterburner.sandbox import Measurement, UsageError

from .conftest import COMMON, COMMON_BY_SET

if TYPE_CHECKING:
    from conftest import CommandLine

    from afterburner.agent.judge.measuring.workbench import Workbench

    from .conftest import MakeBench

pytestmark = pytest.mark.slow

WRONG = COMMON_BY_SET.replace("return result", "return sorted(result)", 1)
HELPED = COMMON.replace("def common", "from helper import noted\n\n\ndef common").replace("(name)", "(noted(name))")


def receipt_of(bench: Workbench, winner: str, project: tuple[ProjectFile, ...] = ()) -> Receipt:
    """A receipt that claims a gain nobody measured."""
    return make_receipt(
        bench,
        RunSettings(bench.target.path, bench.target.function),
        winner_source=winner,
        gain=Gain(5.0, 4.0, 6.0, 0.99, 8),
        held_out_gain=None,
        blocks=(),
        project=project,
        machine=describe_machine(bench.sandbox, bench.environment),
    )


@pytest.mark.timed
def test_a_true_receipt_is_confirmed(make_bench: MakeBench) -> None:
    bench = make_bench(COMMON, "common")
    replayed = replay_receipt(receipt_of(bench, COMMON_BY_SET), Deadline.after(120))
    assert (replayed.answer, replayed.notes) == (Answer.CONFIRMED, ()), replayed.reason
    assert replayed.gain is not None
    assert replayed.gain.low > 1.05


SHARE = "def common(left, right):\n    return sum(name in right for name in left) / max(len(left), 1)\n"
SHARE_BY_SET = (
    "def common(left, right):\n    known = set(right)\n    return sum(name in known for name in left) / len(left)\n"
)


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ("len(x) > 0" + " " * 500 + "and x != 3", "len(x) > 0 and x != 3"),
        ("(len(x) > 0 #\n and x != 3)", "len(x) > 0 and x != 3"),
        ("x != 'a  b'  # and that is all", "x != 'a  b'"),
        ("x != '\u202e'", "x != '\\u202e'"),
    ],
)
def test_an_assumption_is_told_as_python_reads_it(stated: str, told: str) -> None:
    assert _whole(stated) == told


NOT_EMPTY = "len(left) >= 0" + " " * 500 + "and len(left) > 0"  # what tells is where a short line would end


@pytest.mark.timed
@pytest.mark.nightly
def test_a_replay_keeps_to_what_the_run_assumed_and_says_so(make_bench: MakeBench) -> None:
    main = COMMON[COMMON.index("\n\nif __name__") :]
    bench = make_bench(SHARE + main, "common")
    bench = replace(bench, workload=replace(bench.workload, assume=(NOT_EMPTY,)))
    receipt = parse_receipt(receipt_bytes(receipt_of(bench, SHARE_BY_SET + main)))
    replayed = replay_receipt(receipt, Deadline.after(120))
    assert replayed.answer is Answer.CONFIRMED, replayed.reason
    assert any("inputs are made only if len(left) >= 0 and len(left) > 0, as" in note for note in replayed.notes)
    assert headline_of(receipt, replayed)[0] == "Confirmed for inputs that keep to what the receipt assumes"
    forged = replace(receipt, settings=replace(receipt.settings, assume=("False",)))
    with pytest.raises(UsageError, match="assumes `False`, which holds in none of its own inputs"):
        replay_receipt(forged, Deadline.after(120))
    without = replace(receipt, settings=replace(receipt.settings, assume=()))
    assert replay_receipt(without, Deadline.after(120)).answer is Answer.DENIED, "an empty list shows a difference"


@pytest.mark.parametrize(
    ("decision", "reason", "answer"),
    [
        (Decision.IMPROVED, "2.0x", Answer.CONFIRMED),
        (Decision.NOT_BETTER, "no proven gain", Answer.DENIED),
        (Decision.WRONG, "call 1 returned 2", Answer.DENIED),
        (Decision.REFUSED, "it patches a clock", Answer.DENIED),
        (Decision.TOO_NOISY, "too noisy to tell", Answer.TOO_NOISY),
        (Decision.REFUSED, TOO_LATE_TO_CONFIRM, Answer.TOO_NOISY),
        (Decision.REFUSED, "when confirmed, the original behaved differently beside it: x", Answer.TOO_NOISY),
    ],
)
def test_only_what_tells_something_of_the_rewrite_denies_it(decision: Decision, reason: str, answer: Answer) -> None:
    nothing = Measurement(0.1, 0.1, 1, 0.1)
    original = Incumbent("original", "", nothing, 1.0)
    held_out = HeldOut(1, passed=True, gain=None)
    assert _answer(confirmation_of(original, original, Comparison(decision, reason), held_out)) is answer


def test_without_time_a_receipt_is_neither_confirmed_nor_denied(make_bench: MakeBench) -> None:
    receipt = receipt_of(make_bench(COMMON, "common"), COMMON_BY_SET)
    assert replay_receipt(receipt, Deadline.after(0)).answer is Answer.TOO_NOISY


@pytest.mark.nightly
def test_a_wrong_rewrite_is_denied_on_the_command_line_and_a_forged_receipt_refused(
    make_bench: MakeBench, program: CommandLine
) -> None:
    path = program.home / "r.json"
    path.write_bytes(receipt_bytes(receipt_of(make_bench(COMMON, "common"), WRONG)))
    done = program("replay-receipt", "r.json", "--json", "-", folder=program.home)
    assert done.returncode == 5, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, ReplayDocument.published_form())
    assert (document["schema"], document["answer"], document["gain"]) == (1, "denied", None)
    assert document["target"] == {"file": "module.py", "function": "common"}
    assert document["receipt_gain"]["ratio"] == 5.0
    assert "returned" in document["reason"]
    assert "Denied  module.py common" in done.stderr
    path.write_bytes(path.read_bytes().replace(b"5.0", b"9.0"))
    done = program("replay-receipt", "r.json", folder=program.home)
    assert done.returncode == 2
    assert done.stderr.startswith("error: r.json: it does not match its own sha256")
    assert done.stderr.count("\n") == 1


@pytest.mark.nightly
def test_other_files_of_the_project_have_to_be_those_of_the_receipt(make_bench: MakeBench, tmp_path: Path) -> None:
    (tmp_path / "project" / "helper.py").write_text("def noted(name):\n    return name\n")
    bench = make_bench(HELPED, "common")
    helper = ProjectFile("helper.py", sha256_of(b"def noted(name):\n    return name\n"))
    receipt = receipt_of(bench, HELPED.replace("return result", "return result[::-1]"), (helper,))
    with pytest.raises(WorkloadError, match=r"1 other file of its project: give their folder with --project"):
        replay_receipt(receipt, Deadline.after(60))
    root = Path(bench.target.project_root)
    (root / "secret.txt").write_text("not of the receipt")
    (root / bench.target.path).unlink()  # the target itself is taken from the receipt
    assert replay_receipt(receipt, Deadline.after(60), project=root).answer is Answer.DENIED
    assert (root / "secret.txt").exists()
    (root / "helper.py").write_text("def noted(name):\n    return name + '!'\n")
    missing = replace(receipt, project=(helper, ProjectFile("gone.py", helper.sha256)))
    with pytest.raises(UsageError, match=r"not the project as the receipt saw it: gone.py is missing; helper.py diff"):
        replay_receipt(missing, Deadline.after(60), project=root)
    with pytest.raises(UsageError, match="no such folder"):
        replay_receipt(receipt, Deadline.after(60), project=root / "nowhere")


def test_a_receipt_cannot_write_through_a_link_of_the_project(make_bench: MakeBench, tmp_path: Path) -> None:
    receipt = receipt_of(make_bench(COMMON, "common"), COMMON_BY_SET)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "module.py").write_text("mine")
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "pkg").symlink_to(outside)
    linked = replace(
        receipt,
        target=replace(receipt.target, file="pkg/module.py", module="pkg.module"),
        project=(ProjectFile("pkg", sha256_of(b"link to " + str(outside).encode())),),
    )
    with pytest.raises(UsageError, match="lies behind a symbolic link"):
        replay_receipt(linked, Deadline.after(60), project=trap)
    assert (outside / "module.py").read_text() == "mine"


def test_inputs_that_end_the_process_are_no_answer_and_no_harm(make_bench: MakeBench) -> None:
    receipt = receipt_of(make_bench(COMMON, "common"), COMMON_BY_SET)
    bomb = b"cos\n_exit\n(I0\ntR."
    hostile = tuple(replace(receipt.inputs[0], data=bomb, held_out=held) for held in (False, True))
    with pytest.raises(WorkloadError, match="cannot be judged on"):
        replay_receipt(replace(receipt, inputs=hostile), Deadline.after(60))


def test_a_program_is_replayed_on_its_cases(make_bench: MakeBench) -> None:
    bench = make_bench(
        "def total(x):\n    '''\n    >>> total(1)\n    1\n    >>> total(2)\n    2\n    '''\n    return x\n", "total"
    )
    cases = [WorkloadCase(str(n), b"%d\n" % n, b"%d\n" % (n * n), "cases") for n in range(4)]
    source = "print(int(input()) ** 2)\n"
    bench = replace(
        bench,
        target=replace(bench.target, source=source, function=None),
        workload=Workload(cases=tuple(cases[:2]), held_out_cases=tuple(cases[2:])),
    )
    replayed = replay_receipt(receipt_of(bench, "print(int(input()) * 2)\n"), Deadline.after(60))
    assert replayed.answer is Answer.DENIED
