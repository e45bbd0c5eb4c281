"""A report may come from a stranger's job: nothing is believed but what its form allows."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from documents import different, document, function, slower

from afterburner.agent import UsageError
from afterburner.ci_action.outputs import document_text
from afterburner.ci_action.report.document import CiDocument, LeftOutPart
from afterburner.ci_action.report.reading import MOST_BYTES, read_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = document(function(), slower(), notes=["späte Äpfel"])
    (tmp_path / "report.json").write_text(document_text(written), encoding="ascii")
    assert read_report(tmp_path) == written
    assert read_report(tmp_path / "report.json") == written


def test_a_report_of_a_version_without_the_newest_fields_is_read(tmp_path: Path) -> None:
    written = document(function(), left_out=[LeftOutPart(file="data.py", function=None, reason="it is too large")])
    told = json.loads(document_text(written))
    del told["functions"][0]["real_kinds_alone"], told["left_out"][0]["is_unknown"]
    (tmp_path / "report.json").write_text(json.dumps(told), encoding="ascii")
    assert read_report(tmp_path) == written


def test_fields_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    told = json.loads(document_text(document())) | {"colour": "red"}
    (tmp_path / "report.json").write_text(json.dumps(told), encoding="ascii")
    assert read_report(tmp_path) == document()


def function_of(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = told["functions"][0]
    return found


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a path out of the repository": lambda told: function_of(told).update(file="../../etc/passwd"),
    "an absolute path": lambda told: function_of(told).update(file="/etc/passwd"),
    "a path with a backslash": lambda told: function_of(told).update(file="a\\b.py"),
    "a name that is none": lambda told: function_of(told).update(function="f](http://evil)"),
    "a commit that is none": lambda told: told.update(head="main; rm -rf"),
    "a number as text": lambda told: function_of(told).update(line="1"),
    "a line beyond all files": lambda told: function_of(told).update(line=10**9),
    "a share above one": lambda told: function_of(told).update(share=7.0),
    "no number": lambda told: function_of(told)["gain"].update(ratio=float("nan")),
    "an endless number": lambda told: function_of(told)["gain"].update(ratio=1e400),
    "a decision that there is not": lambda told: function_of(told).update(decision="merge it"),
    "another schema": lambda told: told.update(schema=2),
    "a receipt elsewhere": lambda told: function_of(told)["rewrite"].update(receipt="receipts/../../x"),
    "too many functions": lambda told: told.update(functions=told["functions"] * 201),
    "too long a text": lambda told: function_of(told).update(reason="x" * 2_001),
    "too long a patch": lambda told: function_of(told)["rewrite"].update(patch="x" * 60_001),
    "too many edits": lambda told: function_of(told)["rewrite"].update(
        edits=function_of(told)["rewrite"]["edits"] * 201
    ),
    "no object": lambda told: told.update(functions="none"),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_the_form_does_not_allow_is_refused(tmp_path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    told = json.loads(document_text(document()))
    change(told)
    (tmp_path / "report.json").write_text(json.dumps(told), encoding="ascii")
    with pytest.raises(UsageError, match=r"is no report of `afterburner-agent ci`: [\w.]+: "):
        read_report(tmp_path)


def test_what_is_no_json_a_link_a_pipe_or_too_large_is_refused_without_waiting(tmp_path: Path) -> None:
    place = tmp_path / "report.json"
    with pytest.raises(UsageError, match="cannot be read"):
        read_report(tmp_path)
    place.write_text('{"schema": 1', encoding="ascii")
    with pytest.raises(UsageError, match="is no report"):
        read_report(tmp_path)
    place.write_bytes(b"[" * 200_000)
    with pytest.raises(UsageError, match="is no report"):
        read_report(tmp_path)
    place.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(UsageError, match="larger than 8 MiB"):
        read_report(tmp_path)
    place.unlink()
    place.symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="cannot be read"):
        read_report(tmp_path)
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(UsageError, match="not a regular file"):
        read_report(tmp_path)


def test_the_published_form_is_that_of_the_report() -> None:
    published = json.loads((files("afterburner.ci_action.report") / "ci-schema.json").read_text("utf-8"))
    assert published == CiDocument.model_json_schema(by_alias=True), "`make schemas` writes it"
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(json.loads(document_text(document(function(), slower(), different()))), published)
