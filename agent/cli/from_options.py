"""The command line's options of a command, made from the definitions in `options.py`."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_origin, get_type_hints

import typer

from afterburner.agent.code.context.allowed import read_allow_imports
from afterburner.agent.job.setting_values import is_integer, outer_name, settings_from, written_default, written_type
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.option_kinds import Option, Temperature, options_of, problem_of
from afterburner.agent.options import GROUPS
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.options import filled

if TYPE_CHECKING:
    from collections.abc import Callable

# The panel of `--help` that the options of each group stand in.
_PANELS = {
    "inputs": "What to optimise",
    "search": "How to search",
    "proof": "How to search",
    "models": "Who proposes",
    "caps": "What a model may cost",
}
_READERS: dict[str, Callable[[str], object]] = {
    "temperature": Temperature.read,
    "tell": parse_telling,
    "allow_imports": read_allow_imports,
}


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of its parameter `settings`, one option for each field of the groups.

    The command needs a parameter `file` of its own; it gets `settings`, a `RunSettings`.
    """
    own = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    made = [parameter for group, kind in GROUPS.items() for parameter in _parameters(kind, _PANELS[group])]

    @wraps(command)
    def with_settings(*arguments: Any, **values: Any) -> None:
        taken = {each.name: values.pop(each.name) for each in made}
        command(*arguments, settings=settings_from(values["file"], taken), **values)

    kept = [each.replace(annotation=hints.get(each.name, each.annotation)) for each in own.parameters.values()]
    place = next(number for number, each in enumerate(kept) if each.name == "settings")
    parameters = [*kept[:place], *made, *kept[place + 1 :]]
    with_settings.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_settings.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    del with_settings.__wrapped__  # or the parser would look at the command's own
    return with_settings


def option_of(group: type, field: str, panel: str | None = None, *, help_text: str = "") -> Any:
    """The option of a field, for a command that takes some of a group.

    `help_text` stands in place of the field's own where it means something else there.
    """
    option = options_of(group)[field]
    return _typer_option(field, replace(option, help=help_text or option.help), get_type_hints(group)[field], panel)


def _parameters(group: type, panel: str) -> list[inspect.Parameter]:
    defaults = group()
    hints = get_type_hints(group)
    return [
        inspect.Parameter(
            outer_name(name, option),
            inspect.Parameter.KEYWORD_ONLY,
            default=written_default(getattr(defaults, name)),
            annotation=Annotated[written_type(hints[name], option), _typer_option(name, option, hints[name], panel)],
        )
        for name, option in options_of(group).items()
    ]


def _typer_option(name: str, option: Option, annotation: Any, panel: str | None) -> Any:
    numbers = is_integer(annotation)
    long_form = "--" + outer_name(name, option).replace("_", "-")
    return typer.Option(
        *(option.flags or (long_form,)),
        metavar=option.metavar,
        min=option.least if numbers else None,
        max=option.most if numbers else None,
        case_sensitive=False,
        callback=_checker(name, option, bounded=numbers),
        help=option.help,
        show_default=option.show_default and get_origin(annotation) is not tuple,
        rich_help_panel=panel,
    )


def _checker(name: str, option: Option, *, bounded: bool) -> Callable[[Any], Any] | None:
    """What looks at a value as soon as it is parsed, so that the message can say where it was written."""
    if name in _READERS:
        return lambda text: _readable(text, _READERS[name])
    if option.filled:
        return filled
    if bounded or (option.above is None and option.least is None):
        return None  # the parser keeps the bounds of integers
    return lambda value: _within(value, option)


def _within(value: float | None, option: Option) -> float | None:
    why = "" if value is None else problem_of(option, value)
    if why:
        raise typer.BadParameter(why)
    return value


def _readable(text: str | None, read: Callable[[str], object]) -> str | None:
    if filled(text) is None:
        return None
    try:
        read(str(text))
    except UsageError as error:
        raise typer.BadParameter(str(error).removeprefix(f"--temperature {text}: ")) from error
    return text
