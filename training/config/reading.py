"""Reads a configuration file, and says in one line what is wrong with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from afterburner.sandbox import UsageError
from afterburner.sandbox.form_mistakes import plainly
from afterburner.training.config.schema import TrainConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic_core import ErrorDetails

_SHIPPED = "afterburner.training.configs"
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_LAUNCHING = "accelerate"  # a folder among them with files for `accelerate launch`


def read_config(name: str) -> TrainConfig:
    """Read a configuration.

    Args:
        name: a file, or one of those that are part of this program, such as `paper/sft`.

    Raises:
        UsageError: there is none, or something in it is wrong.
    """
    try:
        text = _find(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"The configuration {name} cannot be read: {why}. There are: {', '.join(shipped())}."
        ) from error
    return parse_config(text, name)


def shipped() -> list[str]:
    """The names of the configurations that are part of this program."""
    return [name for name in shipped_files() if not name.startswith(f"{_LAUNCHING}/")]


def shipped_files() -> list[str]:
    """The same, and the names of the files for `accelerate launch`."""
    return sorted(
        f"{folder.name}/{file.name.removesuffix('.yaml')}"
        for folder in files(_SHIPPED).iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    )


def shipped_text(name: str) -> str:
    """The text of one of these files.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in shipped_files():
        raise UsageError(f"{name}: no such configuration. There are: {', '.join(shipped_files())}.")
    return files(_SHIPPED).joinpath(f"{name}.yaml").read_text("utf-8")


def parse_config(text: str, name: str) -> TrainConfig:
    """Check a configuration's text.

    Raises:
        UsageError: something in it is wrong.
    """
    import yaml  # noqa: PLC0415 - an extra

    class Loader(yaml.SafeLoader):
        """Refuses a key that is given twice, of which only the last would count."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            twice = [key for at, key in enumerate(keys) if key in keys[:at]]
            if twice:
                raise yaml.constructor.ConstructorError(None, None, f"{twice[0]} is given twice", node.start_mark)
            return super().construct_mapping(node, deep)

    try:
        document = yaml.load(text, Loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(document, dict):
        raise UsageError(
            f"{name} holds no configuration. `afterburner-agent train config paper/sft` prints a complete one."
        )
    try:
        return TrainConfig.model_validate(document)
    except ValidationError as error:
        # What is missing may be what a misspelt key was meant to be.
        first = min(error.errors(include_url=False), key=lambda each: each["type"] not in _UNKNOWN)
        raise UsageError(f"{name}: {_line(first)}") from error
    except UsageError as error:  # of the reward's own check
        raise UsageError(f"{name}: {error}") from error


def _find(name: str) -> Any:
    """The file of that name; else the one that is part of this program."""
    path = Path(name)
    return path if path.is_file() or name not in shipped() else files(_SHIPPED).joinpath(f"{name}.yaml")


def _line(error: ErrorDetails) -> str:
    where = [str(part) for part in error["loc"]]
    if error["type"] in _UNKNOWN:
        return _unknown(where)
    if error["type"] == "missing":
        return f"{'.'.join(where)} is missing."
    what = plainly(error["msg"])
    return f"{'.'.join(where)}: {what}." if where else f"{what}."


def _unknown(where: list[str]) -> str:
    known = _fields_at(where[:-1])
    near = get_close_matches(where[-1], known, n=1) or list(_in_sections(where[-1]))
    hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(sorted(known))}."
    return f"{'.'.join(where)} is no setting. {hint}"


def _in_sections(name: str) -> Iterator[str]:
    """Settings of this name that belong into a section: `optimizer.learning_rate`."""
    for section in TrainConfig.model_fields:
        with suppress(StopIteration, TypeError):  # it is no section
            yield from (f"{section}.{each}" for each in _fields_at([section]) if each == name)


def _fields_at(where: Iterable[str]) -> list[str]:
    """The fields of a section."""
    section: Any = TrainConfig
    for name in where:
        annotation = section.model_fields[name].annotation
        section = next(each for each in getattr(annotation, "__args__", (annotation,)) if isinstance(each, type))
    if issubclass(section, BaseModel):
        return list(section.model_fields)
    return [each.name for each in fields(section)]
