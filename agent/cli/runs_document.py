"""What `runs --json`, and `show --json` of an unfinished run write: schema 1, described in docs/cli.md.

`runs-schema.json` and `unfinished-schema.json` are generated from here.
"""

import time
from typing import Literal, Self

from pydantic import Field, NonNegativeInt

from afterburner.agent.cli.document_parts import CandidatePart
from afterburner.agent.store.stored_run import KeptRun, RunState
from afterburner.sandbox.terminal.document import Document, Number


class RunTargetPart(Document):
    """What a run works on."""

    file: str = Field(description="Absolute path; of many targets perhaps a folder.")
    function: str | None = Field(description="Null: not known yet, or a whole program.")


class StoredRunPart(Document):
    """A stored run."""

    run_id: str
    state: RunState
    kind: Literal["one", "many"] = Field(description="`many`: a run over many targets.")
    begun_at: str = Field(description="Date and time, UTC, ISO 8601.")
    target: RunTargetPart
    model: str = Field(description="Who proposes.")
    decision: str | None = Field(description="Of a finished run, as `run --json` has it.")
    gain: Number = Field(description="Of a finished run: the ratio.")

    @classmethod
    def of(cls, run: KeptRun) -> Self:
        """What the list of runs says of one."""
        return cls(
            run_id=run.run_id,
            state=run.state,
            kind="many" if run.is_many else "one",
            begun_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.begun_s)),
            target=RunTargetPart(file=run.file, function=run.function),
            model=run.model,
            decision=run.decision,
            gain=run.gain,
        )


class RunsDocument(Document):
    """The list of `afterburner-agent runs`."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    runs: list[StoredRunPart] = Field(description="Newest first.")


class UnfinishedDocument(StoredRunPart):
    """What `afterburner-agent show` knows of a run that is not over."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    used_s: Number = Field(description="Seconds used of the time budget; null: nothing is known yet.")
    tests_begun: NonNegativeInt = Field(description="Confirmatory tests that reached their first look.")
    candidates: list[CandidatePart]
