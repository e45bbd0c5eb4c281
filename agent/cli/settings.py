"""The settings of `run`: which of its options they are, and where the value of each one comes from.

The command line's parser knows four layers by itself: the command line, a variable of the environment (`envvar`), a map
of defaults (`default_map`), and the defaults. So nothing is merged here: every option gets its variable, and the map
is filled from the project's pyproject.toml. All layers go through the same checks.
"""

from __future__ import annotations

import inspect
import os
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer
from typer.core import TyperCommand

from afterburner.agent.errors import SettingsError
from afterburner.agent.job.project_settings import (
    NOT_SETTINGS,
    PREFIX,
    ProjectSettings,
    Setting,
    place,
    read_project_settings,
    variable_of,
)
from afterburner.agent.job.trust import TRUST_VARIABLE, trust_named_projects
from afterburner.sandbox.credentials import without_credentials
from afterburner.sandbox.form_mistakes import plainly
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterable

EPILOG = (
    "Options that are not given come from the variable AFTERBURNER_<OPTION>, then from the table tool.afterburner of "
    "pyproject.toml. `afterburner-agent config` shows all settings."
)
_DESTINATION = "|-"  # how the metavar of a destination ends: FILE|-
# Variables that mean something else.
OTHER_VARIABLES = frozenset(
    {
        "AFTERBURNER_DEBUG",
        "AFTERBURNER_EXECUTABLE",  # of the GitHub Action
        "AFTERBURNER_NO_SKIPS",
        "AFTERBURNER_SERVICE_TOKEN",
        "AFTERBURNER_STORE",
        TRUST_VARIABLE,
    }
)
OTHER_PREFIX = "AFTERBURNER_TEST_"
_PROJECT = "afterburner.agent.cli.settings.project"  # the key in a context's `meta`


class Layer(StrEnum):
    """Where a value comes from, the strongest first."""

    COMMAND_LINE = "command_line"
    ENVIRONMENT = "environment"
    PROJECT = "project"
    SELFCHECK = "selfcheck"  # only ever the minimum effect
    DEFAULT = "default"


_LAYERS = {"COMMANDLINE": Layer.COMMAND_LINE, "ENVIRONMENT": Layer.ENVIRONMENT, "DEFAULT_MAP": Layer.PROJECT}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; `place` is the option, the variable or the path, empty for a default."""

    layer: Layer
    place: str = ""


class SettingsCommand(TyperCommand):
    """A command whose options can be set in the environment and in the project's pyproject.toml, too.

    Parameters and contexts are untyped because their classes differ between typer's versions.
    """

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes | {"epilog": EPILOG})
        self.all_params = list(self.params)
        taken = {form for each in self.params for form in (*each.opts, *each.secondary_opts)}
        for option in settings_of(self.params):
            option.envvar = variable_of(option.name)
            option.show_envvar = False  # one sentence says it of all
            _let_switch_off(option, taken)
        for argument in self.params:
            if argument.param_type_name == "argument":
                _read_project_with(argument, self)
                break

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and say of a wrong value where it was written.

        Raises:
            SettingsError: what the environment or the project sets cannot be used.
        """
        try:
            rest = super().parse_args(ctx, args)
        except typer.BadParameter as error:
            found = _wrong_setting(ctx, error)
            if found is None:
                raise
            raise found from error
        project = project_of(ctx)
        for name, why in project.refused.items() if project else ():
            if origin_of(ctx, name).layer is Layer.DEFAULT:
                raise SettingsError(why)
        if not ctx.resilient_parsing:
            _warn_of_unknown_variables(self.all_params)
        return rest

    def known(self) -> tuple[dict[str, Setting], dict[str, str]]:
        """The settings, and the long forms of the other parameters, by name."""
        annotations = get_type_hints(inspect.unwrap(self.callback)) if self.callback is not None else {}
        settings = {
            each.name: Setting(
                long_form(each), annotations.get(each.name, str), each.default, variable_of(each.name), each.metavar
            )
            for each in settings_of(self.all_params)
        }
        return settings, {each.name: long_form(each) for each in self.all_params if each.name not in settings}


def settings_of(parameters: Iterable[Any]) -> list[Any]:
    """The options among a command's parameters that are settings."""
    return [each for each in parameters if each.param_type_name == "option" and not _is_none(each)]


def _is_none(option: Any) -> bool:
    return option.name in NOT_SETTINGS or str(option.metavar or "").endswith(_DESTINATION)


def long_form(option: Any) -> str:
    """An option as it is written on the command line."""
    return str(max(option.opts, key=len))


def project_of(context: Any) -> ProjectSettings | None:
    """The project file whose settings are in force."""
    found = context.meta.get(_PROJECT)
    return found if isinstance(found, ProjectSettings) else None


def origin_of(context: Any, name: str) -> Origin:
    """Where the value of a parameter comes from."""
    source = context.get_parameter_source(name)
    layer = _LAYERS.get(source.name if source is not None else "", Layer.DEFAULT)
    project = project_of(context)
    if layer is Layer.COMMAND_LINE:
        return Origin(layer, f"--{name.replace('_', '-')}")
    if layer is Layer.ENVIRONMENT:
        return Origin(layer, variable_of(name))
    if layer is Layer.PROJECT and project is not None:
        return Origin(layer, str(project.path))
    return Origin(Layer.DEFAULT)


def first_place(value: Any) -> str | None:
    """The file or folder that a command is called for, of several the first; None: none was given."""
    first = next(iter(value), None) if isinstance(value, list | tuple) else value
    return None if first is None else str(first)


def _let_switch_off(option: Any, taken: set[str]) -> None:
    """Give a switch that can only be put on its opposite: the command line has to win over the other layers."""
    opposite = f"--no-{long_form(option).removeprefix('--')}"
    if option.is_flag and not getattr(option, "count", False) and not option.secondary_opts and opposite not in taken:
        option.secondary_opts.append(opposite)


def _read_project_with(argument: Any, command: SettingsCommand) -> None:
    """Let the command's first argument, before all options, bring the settings of the project that it lies in."""
    check = argument.callback

    def read(context: Any, parameter: Any, value: Any) -> Any:
        value = check(context, parameter, value) if check is not None else value
        if not context.resilient_parsing:
            project = read_project_settings(Path(first_place(value) or "."), *command.known(), trust_named_projects)
            context.meta[_PROJECT] = project
            context.default_map = dict(project.values) if project is not None else None
        return value

    argument.is_eager = True
    argument.callback = read


def _wrong_setting(context: Any, error: Any) -> SettingsError | None:
    """The error of a parameter's value in words for where it was written; None: on the command line."""
    name = str(getattr(error.param, "name", ""))
    origin = origin_of(context, name)
    why = plainly(scrub_line(error.message)).rstrip(".")
    if origin.layer is Layer.ENVIRONMENT:
        shown = scrub_line(without_credentials(os.environ.get(origin.place, "")))
        return SettingsError(f"{origin.place}={shown}: {why}.")
    project = project_of(context)
    if origin.layer is Layer.PROJECT and project is not None:
        return SettingsError(f"{place(project.path, name, project.values[name])}: {why}.")
    return None


def _warn_of_unknown_variables(parameters: Iterable[Any]) -> None:
    """Tell of variables that look like settings and are none. Their values may be secrets, and are not shown."""
    parameters = list(parameters)
    settings = [each.name for each in settings_of(parameters)]
    others = {variable_of(each.name): long_form(each) for each in parameters if each.param_type_name == "option"}
    known = {*map(variable_of, settings), *OTHER_VARIABLES}
    for variable in sorted(os.environ):
        if not variable.startswith(PREFIX) or variable in known or variable.startswith(OTHER_PREFIX):
            continue
        near = get_close_matches(variable.removeprefix(PREFIX).lower(), settings, n=1)
        if variable in others:
            hint = f"{others[variable]} is given on the command line only."
        else:
            hint = f"Did you mean {variable_of(near[0])}?" if near else "`afterburner-agent config` lists the settings."
        sys.stderr.write(f"warning: the variable {scrub_line(variable)} sets nothing. {hint}\n")
