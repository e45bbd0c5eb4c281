"""The receipt of an offer: one JSON file from which anyone can measure it again (docs/receipt.md).

It holds both texts, every input and every sample, and hashes of all that it rests on. It names no absolute path, no
user and nothing of the environment. Its own hash shows damage and careless edits; it is no signature: who wants to
forge a receipt can. What makes it worth something is that it can be replayed (`replaying`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.evidence.receipt_parts import (
    ReceiptBlock,
    ReceiptFigures,
    ReceiptInput,
    ReceiptSample,
    ReceiptSettings,
    ReceiptTarget,
)
from afterburner.agent.judge.measuring.sampling import add_up
from afterburner.agent.types import Decision, WorkloadCall, WorkloadCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.evidence.project_files import ProjectFile
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.version_comparison import ComparisonDecision
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Gain, Machine
    from afterburner.sandbox import Measurement

KIND = "afterburner-agent receipt"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Receipt:
    """Everything that an offer rests on; see docs/receipt.md."""

    target: ReceiptTarget
    original: str
    winner: str
    inputs: tuple[ReceiptInput, ...]
    project: tuple[ProjectFile, ...]  # the other files that the code could see
    settings: ReceiptSettings
    decision: Decision | ComparisonDecision  # `improved`: an offer; else what a comparison said
    gain: Gain
    held_out_gain: Gain | None
    blocks: tuple[ReceiptBlock, ...]
    machine: Machine
    program_version: str


def make_receipt(
    bench: Workbench,
    settings: RunSettings,
    *,
    winner_source: str,
    gain: Gain,
    held_out_gain: Gain | None,
    blocks: Sequence[Block],
    project: Sequence[ProjectFile],
    machine: Machine,
    decision: Decision | ComparisonDecision = Decision.IMPROVED,
) -> Receipt:
    """Write down an offer that was confirmed, or a comparison.

    Args:
        bench: of the original, with the workload that was judged and measured on.
        settings: of the run.
        winner_source: the text of the whole file as offered.
        gain: from the confirmation.
        held_out_gain: likewise, on the held-out inputs alone.
        blocks: the samples of the confirmation.
        project: the project's other files, from `project_files`.
        machine: where it was measured.
        decision: an offer, or what a comparison of the two texts said.
    """
    target, workload = bench.target, bench.workload
    calls = [(call, held) for held in (False, True) for call in (workload.held_out_calls if held else workload.calls)]
    cases = [(case, held) for held in (False, True) for case in (workload.held_out_cases if held else workload.cases)]
    return Receipt(
        target=ReceiptTarget(
            file=_relative(target.path, target.project_root),
            function=None if bench.by_cases else target.function,
            module=target.module,
            import_root=_relative(target.import_root, target.project_root),
            language=target.language,
        ),
        original=target.source,
        winner=winner_source,
        inputs=tuple([_of_call(*call) for call in calls] + [_of_case(*case) for case in cases]),
        project=tuple(project),
        settings=ReceiptSettings(
            settings.search.objective,
            settings.proof.effect,
            settings.search.seed,
            workload.float_tolerance,
            workload.fixed_clock,
            workload.assume,
        ),
        decision=decision,
        gain=gain,
        held_out_gain=held_out_gain,
        blocks=tuple(
            ReceiptBlock(
                tuple(ReceiptSample(sample.mode, _of_measurement(sample.work)) for sample in block.before),
                tuple(ReceiptSample(sample.mode, _of_measurement(sample.work)) for sample in block.after),
                (_of_measurement(add_up(block.used[0])), _of_measurement(add_up(block.used[1]))),
            )
            for block in blocks
        ),
        machine=machine,
        program_version=version("afterburner-agent"),
    )


def receipt_bytes(receipt: Receipt) -> bytes:
    """The receipt as ASCII text of JSON, sealed with its own hash."""
    document = _document(receipt)
    document["sha256"] = seal_of(document)
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def seal_of(document: dict[str, Any]) -> str:
    """The hash of a document without its `sha256`: of its compact form with sorted keys."""
    content = {key: value for key, value in document.items() if key != "sha256"}
    return sha256_of(json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii"))


def sha256_of(data: bytes) -> str:
    """The hash in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def text_sha256(text: str) -> str:
    """The hash of a text in UTF-8."""
    return sha256_of(text.encode("utf-8", "surrogatepass"))


def _document(receipt: Receipt) -> dict[str, Any]:
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "program_version": receipt.program_version,
        "target": asdict(receipt.target),
        "original": {"sha256": text_sha256(receipt.original), "text": receipt.original},
        "winner": {"sha256": text_sha256(receipt.winner), "text": receipt.winner},
        "decision": receipt.decision.value,
        "gain": asdict(receipt.gain),
        "held_out_gain": asdict(receipt.held_out_gain) if receipt.held_out_gain else None,
        "settings": {**asdict(receipt.settings), "objective": receipt.settings.objective.value},
        "machine": asdict(receipt.machine),
        "project": [asdict(file) for file in receipt.project],
        "inputs": [_input_document(each) for each in receipt.inputs],
        "blocks": [asdict(block) for block in receipt.blocks],
    }


def _input_document(each: ReceiptInput) -> dict[str, Any]:
    document = asdict(each)
    document["data"] = base64.b64encode(each.data).decode("ascii")
    document["expected"] = None if each.expected is None else base64.b64encode(each.expected).decode("ascii")
    return {"sha256": sha256_of(each.data), **document}


def _of_call(call: WorkloadCall, held_out: bool) -> ReceiptInput:
    return ReceiptInput(
        "call",
        call.blob,
        sha256_of(call.expected),
        call.origin,
        call.description,
        held_out,
        call.position,
        call.cpu_time_s,
    )


def _of_case(case: WorkloadCase, held_out: bool) -> ReceiptInput:
    outcome = sha256_of(case.expected_stdout)
    return ReceiptInput(
        "case", case.stdin, outcome, case.origin, case.name, held_out, 0, case.cpu_time_s, case.expected_stdout
    )


def _of_measurement(measurement: Measurement) -> ReceiptFigures:
    return ReceiptFigures(
        measurement.cpu_time_s,
        measurement.wall_time_s,
        measurement.peak_memory_kib,
        measurement.memory_integral_kib_s,
    )


def _relative(path: str, root: str) -> str:
    return Path(os.path.relpath(path, root)).as_posix()
