"""How what is stored of a run becomes bytes, and comes back with its types.

The user's calls stay opaque bytes. Nothing is unpickled: of what is read back only known types are made.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from afterburner.agent.errors import RunStoreError
from afterburner.agent.store.stored_run import StoredRequest
from afterburner.agent.store.stored_types import STORED_TYPES

if TYPE_CHECKING:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

Kind = TypeVar("Kind")


def to_text(asked: StoredRequest) -> str:
    """What was asked for as JSON."""
    return TypeAdapter(StoredRequest).dump_json(asked).decode()


def from_text(text: str) -> StoredRequest:
    """The reverse.

    Raises:
        RunStoreError: it is not of this version.
    """
    try:
        return TypeAdapter(StoredRequest).validate_json(text)
    except ValidationError as error:
        raise _other_version("settings") from error


def to_bytes(value: object) -> bytes:
    """A target, what was prepared, or a result, as msgpack."""
    kind, data = _serializer().dumps_typed(value)
    if kind != "msgpack":
        raise TypeError(kind)
    return data


def from_bytes(kind: type[Kind], data: bytes) -> Kind:
    """The reverse, with tuples where there were tuples.

    Raises:
        RunStoreError: it is nothing of this kind.
    """
    try:
        value = _serializer().loads_typed(("msgpack", data))
    except Exception as error:
        raise _other_version(kind.__name__) from error
    if not isinstance(value, kind):
        raise _other_version(kind.__name__)
    return cast("Kind", _with_tuples(value))


def _serializer() -> JsonPlusSerializer:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - heavy

    return JsonPlusSerializer(allowed_msgpack_modules=STORED_TYPES)


def _with_tuples(value: object) -> object:
    """Sequences come back as lists; what is stored here holds tuples alone."""
    if isinstance(value, list | tuple):
        return tuple(_with_tuples(each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _with_tuples(getattr(value, field.name)) for field in fields(value)})
    return value


def _other_version(what: str) -> RunStoreError:
    return RunStoreError(
        f"The run's {what} cannot be read: another version of this program has stored it, or it is damaged. Use that "
        "version, or start a new run."
    )
