"""The settings by the names that they have outside Python, made from the definitions in `options.py`."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from afterburner.agent.code.context.allowed import read_allow_imports
from afterburner.agent.option_kinds import Option, options_of
from afterburner.agent.options import GROUPS, RunSettings

if TYPE_CHECKING:
    from collections.abc import Mapping


def outer_name(field: str, option: Option) -> str:
    """The name of a field outside Python, with underscores."""
    return option.name or field


def written_default(value: Any) -> Any:
    """A default as it is written: None for what is not given."""
    return None if value in ((), "") else value


def written_type(annotation: Any, option: Option) -> Any:
    """The type that is written: a list of texts, or one text, where the field is a tuple."""
    if get_origin(annotation) is tuple:
        return list[str] | None if option.several else str | None
    return annotation


def is_integer(annotation: Any) -> bool:
    """Whether a field takes integers alone."""
    kinds = {each for each in get_args(annotation) if each is not NoneType} or {annotation}
    return kinds <= {int} and bool not in kinds


def written_defaults() -> dict[str, Any]:
    """The defaults of all fields, by their names outside Python."""
    return {
        outer_name(name, option): written_default(getattr(kind(), name))
        for kind in GROUPS.values()
        for name, option in options_of(kind).items()
    }


def settings_from(file: str, values: Mapping[str, Any]) -> RunSettings:
    """Settings from values as they are written, all of them, by their names outside Python.

    Raises:
        UsageError: a value is not allowed.
    """
    groups = {
        group: kind(
            **{
                name: _field(name, option, values[outer_name(name, option)])
                for name, option in options_of(kind).items()
            }
        )
        for group, kind in GROUPS.items()
    }
    return RunSettings(file, **groups)


def _field(name: str, option: Option, value: Any) -> Any:
    """A value that was written, as its field holds it."""
    if name == "allow_imports":
        return read_allow_imports(value or "")
    if option.several:
        parts = value or () if option.whole else [part for text in value or () for part in text.split(",")]
        return tuple(part.strip() for part in parts if part.strip())
    if name == "temperature":
        return value or ""
    return value


def field_types() -> dict[str, tuple[Option, Any]]:
    """Of each field by its name outside Python: how it is met there, and the type that is written."""
    return {
        outer_name(name, option): (option, written_type(get_type_hints(kind)[name], option))
        for kind in GROUPS.values()
        for name, option in options_of(kind).items()
    }
