"""The JSON Schemas that are published are those of the documents that are written."""

from __future__ import annotations

import json
import runpy
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

if TYPE_CHECKING:
    from afterburner.sandbox.terminal.document import Document

SCRIPT = Path(__file__).parents[3] / "scripts" / "write_schemas.py"
DOCUMENTS: dict[str, type[Document]] = runpy.run_path(str(SCRIPT))["DOCUMENTS"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_published_schema_is_that_of_its_document(name: str) -> None:
    published = json.loads((files("afterburner.agent.cli") / f"{name}-schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    assert published == DOCUMENTS[name].published_form(), "`make schemas` writes it"


def test_every_published_schema_has_its_document() -> None:
    published = {each.name for each in files("afterburner.agent.cli").iterdir() if each.name.endswith("-schema.json")}
    assert published == {f"{name}-schema.json" for name in DOCUMENTS}
