"""Writes the JSON Schemas that the command line publishes, from the documents that it writes: `make schemas`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.cli.compare_document import ComparisonDocument
from afterburner.agent.cli.config_document import ConfigDocument
from afterburner.agent.cli.many_document import ManyDocument
from afterburner.agent.cli.replay_document import ReplayDocument
from afterburner.agent.cli.run_document import RunDocument
from afterburner.agent.cli.runs_document import RunsDocument, UnfinishedDocument
from afterburner.agent.cli.selfcheck_document import SelfcheckDocument
from afterburner.agent.cli.verify_document import VerifyDocument
from afterburner.ci_action.report.document import CiDocument

if TYPE_CHECKING:
    from afterburner.sandbox.terminal.document import Document

CI_SCHEMA = Path(__file__).parents[1] / "ci_action" / "report" / "ci-schema.json"
FOLDER = Path(__file__).parents[1] / "agent" / "cli"
DOCUMENTS: dict[str, type[Document]] = {
    "compare": ComparisonDocument,
    "config": ConfigDocument,
    "many": ManyDocument,
    "replay": ReplayDocument,
    "run": RunDocument,
    "runs": RunsDocument,
    "selfcheck": SelfcheckDocument,
    "unfinished": UnfinishedDocument,
    "verify": VerifyDocument,
}


def schema_text(document: type[Document]) -> str:
    """The schema as it is kept in a file."""
    return json.dumps(document.published_form(), indent=2) + "\n"


def ci_schema() -> dict[str, Any]:
    """The form of the report of `afterburner-agent ci`, as it is read."""
    return CiDocument.model_json_schema(by_alias=True)


if __name__ == "__main__":
    CI_SCHEMA.write_text(json.dumps(ci_schema(), indent=2) + "\n", encoding="utf-8")
    for name, document in DOCUMENTS.items():
        (FOLDER / f"{name}-schema.json").write_text(schema_text(document), encoding="utf-8")
