"""Receipts: what they hold, what they give away, and what is refused."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.evidence.receipt import make_receipt, receipt_bytes, seal_of, sha256_of
from afterburner.agent.evidence.receipt_parts import ReceiptInput
from afterburner.agent.evidence.receipt_reading import ReceiptError, parse_receipt, read_receipt
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.options import InputOptions, RunSettings, Search
from afterburner.agent.types import Target, Workload, WorkloadCall
from afterburner.sandbox import Limits, Measurement, PythonEnvironment, Sandbox

from .conftest import GAIN, MACHINE, RECEIPT

if TYPE_CHECKING:
    from collections.abc import Callable


def changed(change: Callable[[dict[str, Any]], object], *, sealed: bool = True) -> bytes:
    """A receipt with a change, and with a fitting seal, as a forger would write it."""
    document = json.loads(receipt_bytes(RECEIPT))
    change(document)
    if sealed:
        document["sha256"] = seal_of(document)
    return json.dumps(document).encode()


def test_a_receipt_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(receipt_bytes(RECEIPT))
    assert read_receipt(tmp_path / "r.json") == RECEIPT
    assert receipt_bytes(RECEIPT).isascii()
    assert receipt_bytes(RECEIPT) == receipt_bytes(parse_receipt(receipt_bytes(RECEIPT)))


def test_a_receipt_of_a_run_holds_its_workload_and_samples_but_no_place_and_no_person(sandbox: Sandbox) -> None:
    root = "/home/somebody/shop"
    target = Target(f"{root}/src/shop/report.py", RECEIPT.original, "total", "shop.report", f"{root}/src", root)
    calls = (WorkloadCall(b"one", "doctest", "total(1)", 0.5, b"7", 1), WorkloadCall(b"two", "doctest", "x", 0.2, b"8"))
    used = Measurement(0.2, 0.1, 2048, 10.0)
    environment = PythonEnvironment("/home/somebody/.venv/bin/python", (3, 11), ())
    bench = Workbench(target, Workload(calls[:1], calls[1:]), sandbox, environment, Limits(), None)
    sample = Sample(used, used, (used,))
    receipt = make_receipt(
        bench,
        RunSettings(
            target.path, "total", search=Search(seed=4), inputs=InputOptions(python="/home/somebody/.venv/bin/python")
        ),
        winner_source="x",
        gain=GAIN,
        held_out_gain=GAIN,
        blocks=[Block.of((sample,), (sample, sample))],
        project=RECEIPT.project,
        machine=MACHINE,
    )
    assert receipt.target == RECEIPT.target
    assert [(each.data, each.outcome, each.held_out) for each in receipt.inputs] == [
        (b"one", sha256_of(b"7"), False),
        (b"two", sha256_of(b"8"), True),
    ]
    assert (len(receipt.blocks[0].original), len(receipt.blocks[0].winner)) == (1, 2)
    assert receipt.blocks[0].original[0].work.peak_memory_kib == 2048
    assert parse_receipt(receipt_bytes(receipt)) == receipt
    assert b"/home" not in receipt_bytes(receipt)
    assert b"somebody" not in receipt_bytes(receipt)


UNSEALED: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("a figure", lambda d: d["gain"].update(ratio=9.0, high=9.5)),
    ("a sample", lambda d: d["blocks"].append({"original": [], "winner": []})),
    ("a text", lambda d: d["winner"].update(text="x")),
    ("no seal", lambda d: d.pop("sha256")),
]


@pytest.mark.parametrize(("what", "change"), UNSEALED, ids=[what for what, _ in UNSEALED])
def test_any_change_breaks_the_seal(what: str, change: Callable[[dict[str, Any]], object]) -> None:  # noqa: ARG001
    with pytest.raises(ReceiptError, match=r"does not match its own sha256"):
        parse_receipt(changed(change, sealed=False))


FORGED: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    (r"winner: the text does not match its sha256", lambda d: d["winner"].update(text="x")),
    (r"inputs\[0\]: the data do not match", lambda d: d["inputs"][0].update(data=base64.b64encode(b"evil").decode())),
    (r"inputs\[0\].data: it is not base64", lambda d: d["inputs"][0].update(data="?" * 8)),
    (r"target.file: it is not a path inside", lambda d: d["target"].update(file="../../etc/passwd")),
    (r"target.file: it is not a path inside", lambda d: d["target"].update(file="/etc/passwd")),
    (r"target.file: it is not a path inside", lambda d: d["target"].update(file="a/./b.py")),
    (r"target.import_root: it is not a path", lambda d: d["target"].update(import_root="..")),
    (r"project\[0\].path: it is not a path", lambda d: d["project"][0].update(path="a/../../b")),
    (r"project\[0\].path: it is not a path", lambda d: d["project"][0].update(path="a\0b")),
    (r"target.module: it is not a dotted name", lambda d: d["target"].update(module="os; import sys")),
    (r"target.function: it is not a dotted name", lambda d: d["target"].update(function="a b")),
    (r"target.function: Input should be a valid string", lambda d: d["target"].update(function=7)),
    (r"gain.ratio: Input should be a valid number", lambda d: d["gain"].update(ratio="2")),
    (r"gain.high: Input should be less than", lambda d: d["gain"].update(high=1e300)),
    (r"gain: the figures contradict", lambda d: d["gain"].update(low=3.0)),
    (r"settings.min_effect", lambda d: d["settings"].update(min_effect=-1.0)),
    (r"settings.min_effect", lambda d: d["settings"].update(min_effect=1e6)),
    (r"settings.objective", lambda d: d["settings"].update(objective="fame")),
    (r"settings.objective", lambda d: d["settings"].update(objective=[])),
    (r"settings.seed", lambda d: d["settings"].update(seed=2**40)),
    (r"settings.assume", lambda d: d["settings"].update(assume=["x >"])),
    (r"settings.assume", lambda d: d["settings"].update(assume="x > 1")),
    (r"settings.assume", lambda d: d["settings"].update(assume=["x > 1"] * 201)),
    (r"decision: it claims no improvement", lambda d: d.update(decision="not_better")),
    (r"inputs: Tuple should have at most 500", lambda d: d.update(inputs=d["inputs"] * 300)),
    (r"inputs: a receipt needs inputs", lambda d: d.update(inputs=d["inputs"][:1])),
    (r"inputs: a receipt needs inputs", lambda d: d["inputs"][0].update(kind="case", expected="Nw==")),
    (r"inputs\[0\]: Input should be a dict", lambda d: d.update(inputs=[7])),
    (r"machine.cpus", lambda d: d["machine"].update(cpus=True)),
    (r"schema 2, and this program reads schema 1", lambda d: d.update(schema=2)),
    (r"not a receipt of afterburner-agent", lambda d: d.update(kind="x")),
]


@pytest.mark.parametrize(("complaint", "change"), FORGED, ids=range(len(FORGED)))
def test_what_is_absurd_is_refused_though_the_seal_fits(
    complaint: str, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(ReceiptError, match=complaint):
        parse_receipt(changed(change))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"kind": 1, "kind": 2}',
        b"[" * 200_000,
        receipt_bytes(RECEIPT)[:-200],
        receipt_bytes(RECEIPT).replace(b'"ratio": 2.0', b'"ratio": NaN'),
        receipt_bytes(RECEIPT).replace(b'"ratio": 2.0', b'"ratio": 1e999'),
    ],
    ids=range(8),
)
def test_what_is_no_receipt_is_one_clear_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(data)
    with pytest.raises(ReceiptError, match=r"r\.json: "):
        read_receipt(path)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ReceiptError, match="is not a regular file"):
            read_receipt(path)
    with pytest.raises(ReceiptError, match="cannot be read: No such file"):
        read_receipt(tmp_path / "none.json")


def test_a_case_keeps_its_expected_output() -> None:
    case = ReceiptInput("case", b"3\n", sha256_of(b"9\n"), "cases", "a", False, 0, 0.1, b"9\n")
    program = replace(
        RECEIPT,
        target=replace(RECEIPT.target, function=None),
        inputs=(case, replace(case, held_out=True)),
    )
    assert parse_receipt(receipt_bytes(program)) == program
    lying = replace(case, expected=b"10\n")
    with pytest.raises(ReceiptError, match="expected output does not match"):
        parse_receipt(receipt_bytes(replace(program, inputs=(lying, replace(case, held_out=True)))))
