"""The JSON contract of docs/run-json.md."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from afterburner.agent.cli.run_document import document_of
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

DOCUMENT = Path(__file__).parents[3] / "docs" / "run-json.md"
CONTRACT = {
    "schema", "run_id", "target", "objective", "model", "decision", "gain", "original", "best", "held_out",
    "candidates", "patch", "machine",
}  # fmt: skip


@cache
def schema() -> jsonschema.Draft202012Validator:
    loaded = json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(loaded)
    return jsonschema.Draft202012Validator(loaded)


def keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


@pytest.mark.parametrize("kind", ["improved", "unimproved"])
def test_every_result_follows_the_schema(kind: str, settings: RunSettings, request: pytest.FixtureRequest) -> None:
    document = document_of(request.getfixturevalue(kind), settings).to_json()
    schema().validate(document)
    assert set(document) >= CONTRACT
    assert document["schema"] == 1
    assert document["decision"] == {"improved": "improved", "unimproved": "no_improvement"}[kind]


def test_a_rewrite_that_is_right_on_a_condition_is_told_of_and_is_no_improvement(
    unimproved: RunResult, settings: RunSettings
) -> None:
    right = unimproved.candidates[-1]
    needing = replace(right, decision=Decision.CONDITIONAL, reason="3.00x, the same provided that `limits` ascends")
    document = document_of(replace(unimproved, candidates=(needing,)), settings).to_json()
    schema().validate(document)
    assert document["decision"] == "conditional"
    assert (document["gain"], document["patch"], document["offer"]["offered"]) == (None, "", False)


def test_the_schema_refuses_documents_that_break_the_contract(improved: RunResult, settings: RunSettings) -> None:
    whole = document_of(improved, settings).to_json()
    broken = [{k: v for k, v in whole.items() if k != missing} for missing in whole]
    broken += [whole | {"decision": "perhaps"}, whole | {"schema": 2}, whole | {"gain": {"ratio": 8.0}}]
    for document in broken:
        with pytest.raises(jsonschema.ValidationError):
            schema().validate(document)


def test_figures_keep_their_values_and_units(improved: RunResult, settings: RunSettings) -> None:
    document = document_of(improved, settings, applied=True).to_json()
    assert document["target"] == {"file": "/srv/shop/report.py", "function": "total", "language": "python"}
    assert document["gain"] == {"ratio": 8.0, "low": 7.5, "high": 8.6, "confidence": 0.95, "pairs": 31}
    assert document["original"]["cpu_time_s"] == 1.6
    assert document["best"]["peak_memory_kib"] == 20_992
    assert [c["decision"] for c in document["candidates"]] == ["improved", "wrong", "refused", "not_better"]
    assert [c["verdict"] for c in document["candidates"]] == ["accepted", "wrong_answer", None, "accepted"]
    assert document["candidates"][1]["reason"] == "call 3: returned 4 instead of 5"
    assert document["candidates"][1]["counterexample"] == "total([1, 1]) returned 4 instead of 5"
    assert document["candidates"][0]["counterexample"] is None
    assert document["workload"]["origins"][0] == {"origin": "captured from __main__", "inputs": 9}
    assert document["offer"] == {"offered": True, "reason": "", "gain_per_line": 3.5, "applied": True}
    assert document["seed"] == 7


def test_without_an_improvement_there_is_no_gain_and_no_patch(unimproved: RunResult, settings: RunSettings) -> None:
    document = document_of(unimproved, settings).to_json()
    assert document["gain"] is None
    assert document["patch"] == ""
    assert document["readability"] is None
    assert document["offer"]["offered"] is False
    assert document["offer"]["reason"] == unimproved.summary


def test_what_json_cannot_carry_becomes_null_or_a_replacement(improved: RunResult, settings: RunSettings) -> None:
    odd = replace(
        improved,
        original=replace(improved.original, wall_time_s=float("nan"), memory_integral_kib_s=float("inf")),
        summary="lone \udc80 surrogate, naïve",
    )
    text = document_of(odd, settings).to_text()
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    schema().validate(document)
    assert document["original"]["wall_time_s"] is None
    assert document["original"]["memory_integral_kib_s"] is None
    assert document["summary"] == "lone \ufffd surrogate, naïve"
    assert text.isascii()
    assert text.endswith("}\n")


def test_every_key_is_documented(improved: RunResult, settings: RunSettings) -> None:
    page, contract = DOCUMENT.read_text("utf-8"), json.dumps(schema().schema)
    document = document_of(improved, settings).to_json()
    del document["settings"]  # not part of the contract
    for key in keys(document):
        assert f'"{key}": {{' in contract, f"{key} is not in run-schema.json"
        assert key in page, f"{key} is not in {DOCUMENT.name}"
