"""The JSON Schemas that are published are those of the documents that are written."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest

from afterburner.agent.cli.compare_document import ComparisonDocument
from afterburner.agent.cli.config_document import ConfigDocument
from afterburner.agent.cli.many_document import ManyDocument
from afterburner.agent.cli.run_document import RunDocument
from afterburner.agent.cli.selfcheck_document import SelfcheckDocument
from afterburner.agent.cli.verify_document import VerifyDocument

if TYPE_CHECKING:
    from afterburner.sandbox.terminal.document import Document

DOCUMENTS = {
    "compare": ComparisonDocument,
    "config": ConfigDocument,
    "many": ManyDocument,
    "run": RunDocument,
    "selfcheck": SelfcheckDocument,
    "verify": VerifyDocument,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_published_schema_is_that_of_its_document(name: str) -> None:
    document: type[Document] = DOCUMENTS[name]
    published = json.loads((files("afterburner.agent.cli") / f"{name}-schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    assert published == document.published_form(), "`make schemas` writes it"


def test_every_published_schema_has_its_document() -> None:
    published = {each.name for each in files("afterburner.agent.cli").iterdir() if each.name.endswith("-schema.json")}
    assert published == {f"{name}-schema.json" for name in DOCUMENTS}
