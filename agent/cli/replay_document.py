"""What `replay-receipt --json` writes: schema 1, described in docs/cli.md. `replay-schema.json` comes from it."""

from typing import Literal

from pydantic import Field

from afterburner.agent.cli.document_parts import GainPart, MachinePart
from afterburner.agent.evidence.receipt import Receipt
from afterburner.agent.evidence.replaying import Answer, Replayed
from afterburner.sandbox.terminal.document import Document


class ReceiptTargetPart(Document):
    """What the receipt is about."""

    file: str = Field(description="The file's name in its project.")
    function: str | None = Field(description="Null: a whole program.")


class ReplayDocument(Document):
    """The answer of `afterburner-agent replay-receipt`."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    answer: Answer
    reason: str = Field(description="One sentence: why.")
    target: ReceiptTargetPart
    receipt_gain: GainPart = Field(description="What the receipt claims.")
    gain: GainPart | None = Field(description="Measured here; null if it was not measured.")
    held_out_gain: GainPart | None = Field(description="Likewise, on the inputs that selection never used.")
    receipt_machine: MachinePart
    machine: MachinePart = Field(description="This one.")
    notes: list[str] = Field(description="What is different here.")


def document_of(receipt: Receipt, replayed: Replayed) -> ReplayDocument:
    """The document of a replay."""
    return ReplayDocument.model_validate(
        {
            "answer": replayed.answer,
            "reason": replayed.reason,
            "target": receipt.target,
            "receipt_gain": receipt.gain,
            "gain": replayed.gain,
            "held_out_gain": replayed.held_out_gain,
            "receipt_machine": receipt.machine,
            "machine": replayed.machine,
            "notes": replayed.notes,
        }
    )
