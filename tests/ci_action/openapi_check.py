"""GitHub's own description of its REST API, and what it says of a request, an answer or an event.

The npm package `@octokit/openapi` publishes it; `scripts/setup.sh tests` installs it. It is an OpenAPI document of
version 3.0.3, whose schemas differ from JSON Schema in `nullable` and in what may stand beside `$ref`.
"""

from __future__ import annotations

import gc
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referencing import Resource

FOLDER = Path(__file__).with_name("openapi")
FILE = FOLDER / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
_SCHEMAS = "#/components/schemas/"
_URI = "urn:github:"
_LONGEST_PROBLEM = 300
_ANNOTATIONS = frozenset({"example", "examples", "discriminator", "nullable", "format"})


class DescriptionMissingError(Exception):
    """The description is not installed."""


@dataclass(frozen=True)
class Operation:
    """One method of one path, and the values that a request gave for the parameters of that path."""

    template: str
    values: Mapping[str, str]
    document: Mapping[str, Any]


class Description:
    """Answers what the description allows. Build it once in a process: `github_description()`."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._components = document["components"]
        self._webhooks = document["x-webhooks"]
        self._paths = [(_segments(template), template, methods) for template, methods in document["paths"].items()]
        self._modern: dict[str, Resource[Any]] = {}
        self._registry: Registry[Any] = Registry(retrieve=self._component)  # type: ignore[call-arg]
        self._validators: dict[str, Draft202012Validator] = {}

    def find(self, method: str, path: str) -> Operation | None:
        """Give the operation that a request is for: the one whose path has the most segments in common with it."""
        given, best, most = _segments(path), None, -1
        for segments, template, methods in self._paths:
            document = methods.get(method.lower())
            if document is None:
                continue
            values = _match(segments, given, is_open=self._is_open(document))
            literal = len(segments) - len(values or ())
            if values is not None and literal > most:
                best, most = Operation(template, values, document), literal
        return best

    def request_problems(
        self, method: str, path: str, query: Mapping[str, Sequence[str]], body: object = None, *, has_body: bool = False
    ) -> list[str]:
        """Say what the description does not allow in a request; nothing: the request is as described.

        GitHub ignores most of the properties that it does not describe. Here they are problems: a misspelt one would
        otherwise go unnoticed.
        """
        operation = self.find(method, path)
        if operation is None:
            return [f"GitHub has no {method} {path}"]
        return [
            *self._parameter_problems(operation, "path", {name: [value] for name, value in operation.values.items()}),
            *self._parameter_problems(operation, "query", query),
            *self._body_problems(operation, body, has_body=has_body),
        ]

    def answer_problems(self, method: str, path: str, status: int, body: object) -> list[str]:
        """Say how the JSON of an answer differs from what the description promises for this status."""
        operation = self.find(method, path)
        if operation is None:
            return [f"GitHub has no {method} {path}"]
        found = operation.document["responses"].get(str(status))
        if found is None:
            return [f"{method} {operation.template} never answers {status}"]
        content = self._resolved(found).get("content", {}).get("application/json")
        if content is None:
            return [] if body is None else [f"{method} {operation.template}: {status} has no body"]
        return self._problems(f"{method} {operation.template} {status}", content["schema"], body)

    def event_problems(self, webhook: str, payload: object) -> list[str]:
        """Say how the payload of an event, as `pull-request-opened`, differs from the description."""
        schema = self._webhooks[webhook]["post"]["requestBody"]["content"]["application/json"]["schema"]
        return self._problems(webhook, schema, payload)

    def _parameter_problems(self, operation: Operation, place: str, given: Mapping[str, Sequence[str]]) -> list[str]:
        described = {each["name"]: each for each in self._parameters(operation.document) if each["in"] == place}
        problems = [f"{operation.template}: no parameter {name!r}" for name in given if name not in described]
        for name, values in given.items():
            if name in described:
                schema = described[name]["schema"]
                label = f"{place} parameter {name} of {operation.template}"
                problems += [each for value in values for each in self._problems(label, schema, _read(value, schema))]
        return problems

    def _body_problems(self, operation: Operation, body: object, *, has_body: bool) -> list[str]:
        described = operation.document.get("requestBody")
        if described is None:
            return [f"{operation.template} takes no body"] if has_body else []
        if not has_body:
            return [f"{operation.template} needs a body"] if described.get("required") else []
        schema = described["content"]["application/json"]["schema"]
        return self._problems(f"body of {operation.template}", schema, body, is_closed=True)

    def _problems(self, label: str, schema: object, value: object, *, is_closed: bool = False) -> list[str]:
        if label not in self._validators:
            modern = _modern(schema, is_closed=is_closed)
            self._validators[label] = Draft202012Validator(modern, registry=self._registry)
        found = self._validators[label].iter_errors(value)
        return [f"{label}, {error.json_path}: {error.message}"[:_LONGEST_PROBLEM] for error in found]

    def _component(self, uri: str) -> Resource[Any]:
        if uri not in self._modern:
            modern = _modern(self._components["schemas"][uri.removeprefix(_URI)])
            self._modern[uri] = DRAFT202012.create_resource(modern)
        return self._modern[uri]

    def _parameters(self, document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [self._resolved(each) for each in document.get("parameters", ())]

    def _is_open(self, document: Mapping[str, Any]) -> bool:
        return any(each.get("x-multi-segment") for each in self._parameters(document))

    def _resolved(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in value:
            return value
        _, _, kind, name = value["$ref"].split("/")
        found: Mapping[str, Any] = self._components[kind][name]
        return found


@cache
def github_description() -> Description:
    """Read the description: 13 MB of JSON, once in a process.

    Raises:
        DescriptionMissingError: It is not installed.
    """
    if not FILE.exists():
        raise DescriptionMissingError(f"{FILE} is missing: run `make setup-tests`, which installs it with npm")
    gc.disable()  # else it looks through a million new objects again and again
    try:
        return Description(json.loads(FILE.read_bytes()))
    finally:
        gc.enable()


def _segments(path: str) -> list[str]:
    return path.strip("/").split("/")


def _match(segments: Sequence[str], given: Sequence[str], *, is_open: bool) -> dict[str, str] | None:
    """Give the values of the parameters in a path, or None where it does not fit; an open one ends in several."""
    if len(segments) != len(given) and not (is_open and len(given) > len(segments)):
        return None
    parts = [*given[: len(segments) - 1], "/".join(given[len(segments) - 1 :])]
    values = {}
    for segment, part in zip(segments, parts, strict=True):
        if segment.startswith("{"):
            values[segment.strip("{}")] = unquote(part)
        elif segment != part:
            return None
    return values


def _read(value: str, schema: Mapping[str, Any]) -> object:
    """Read what stands in an address as the type that the schema names, where it can be read so."""
    if schema.get("type") == "integer" and value.removeprefix("-").isdecimal():
        return int(value)
    if schema.get("type") == "boolean" and value in {"true", "false"}:
        return value == "true"
    return value


def _modern(schema: Any, *, is_closed: bool = False) -> Any:
    """Turn a schema of OpenAPI 3.0 into one of JSON Schema; a closed one allows no properties but its own."""
    if isinstance(schema, list):
        return [_modern(each, is_closed=is_closed) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:  # whatever stands beside it has no meaning
        return {"$ref": schema["$ref"].replace(_SCHEMAS, _URI)}
    made = {
        key: {name: _modern(each, is_closed=is_closed) for name, each in value.items()}
        if key == "properties"
        else value
        if key in {"enum", "required", "default"}
        else _modern(value, is_closed=is_closed)
        for key, value in schema.items()
        if key not in _ANNOTATIONS
    }
    if is_closed and "properties" in made:
        made.setdefault("additionalProperties", False)
    return _or_null(made) if schema.get("nullable") else made


def _or_null(made: dict[str, Any]) -> dict[str, Any]:
    if "type" not in made:
        return {"anyOf": [{"type": "null"}, made]}
    allowed = {"enum": [*made["enum"], None]} if "enum" in made else {}
    return {**made, "type": [made["type"], "null"], **allowed}
