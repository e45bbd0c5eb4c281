"""What the editor is set to: the settings of a run by their names in pyproject.toml, and a few of the editor's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from afterburner.agent.stated_assumptions import with_other_advice

SECTION = "afterburner"
GIVEN_BY = "the editor's settings"
_TIME_OPTION = re.compile(r"--max-seconds(?= allows more| more\b|\) is up)")  # the option that our own reasons name
_STATED_OPTION = re.compile(r"--assume (?=\".+\" holds in none\b|or `Requires:`)")
_TOLERANCE_OPTION = re.compile(r"--float-tolerance (?=\S+ allows it\b)")
_IS_PYTHON_OPTION = re.compile(r", which is --python .+?(?=\. Give)")
_OTHER_PYTHON = re.compile(r"\b(one|interpreter|Python) with --python")
_KEY = re.compile(r"(needs a key: set \w+(?: or \w+)* in the environment)")
OWN = {
    "trusted": "whether code of the workspace may run without a question",
    "preview": "whether the editor shows a rewrite before it is applied, where it can",
    "hints": "whether the project's tests are profiled, and functions that take much of their time get a hint",
}


class EditorSettingsError(ValueError):
    """A setting of the editor's own is of the wrong type. The message says which."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The settings that hold for a document.

    Attributes:
        run: of a run, by their names in pyproject.toml; `Session.project_options` checks them.
        doubtful: which of them a file of the workspace may have set.
        trusted: whether code of the workspace may run without a question; never from a file of the workspace.
        preview: whether the editor shows a rewrite before it is applied, where it can.
        hints: whether the project's tests are profiled, and functions that take much of their time get a hint.
    """

    run: Mapping[str, Any] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    trusted: bool = False
    preview: bool = True
    hints: bool = False


def read_settings(initial: object, *configured: object) -> EditorSettings:
    """Merge layers of settings; later layers win.

    Each is what a client gave: an object with settings, or with all of them under `afterburner`; anything else is none.
    Keys with a dot, such as `trace.server`, are the client's own.

    Args:
        initial: the initialization options, which the user's own configuration holds.
        configured: what the client says of its configuration. Some clients merge files of the workspace into it.

    Raises:
        EditorSettingsError: a setting of the editor's own is of the wrong type.
    """
    values = _table(initial)
    trusted = values.pop("trusted", False)
    doubtful: set[str] = set()
    for layer in map(_table, configured):
        layer.pop("trusted", None)
        doubtful |= {name for name, value in layer.items() if values.get(name) != value}
        values |= layer
    own = {"trusted": trusted, "preview": values.pop("preview", True), "hints": values.pop("hints", False)}
    for name, value in own.items():
        if not isinstance(value, bool):
            raise EditorSettingsError(f"{GIVEN_BY}: {name} = {value!r:.60}: give true or false: {OWN[name]}.")
    return EditorSettings(values, frozenset(doubtful), **own)


def in_editor_words(message: str) -> str:
    """A message that names the options of a run, with the settings of the editor in their place.

    An editor, and the server with it, keeps the environment that it was started with.
    """
    told = _TIME_OPTION.sub(f"the setting {SECTION}.max-seconds", message)
    told = with_other_advice(told, _assume_setting)
    told = _STATED_OPTION.sub(f"the setting {SECTION}.assume ", told)
    told = _TOLERANCE_OPTION.sub(f"the setting {SECTION}.float-tolerance ", told)
    told = _IS_PYTHON_OPTION.sub(f", which the setting {SECTION}.python names", told)
    told = _OTHER_PYTHON.sub(rf"\1 with the setting {SECTION}.python", told)
    return _KEY.sub(r"\1 that the editor is started in, and start it again", told)


def _assume_setting(expressions: Sequence[str]) -> str:
    """How to state these with a setting, in JSON that can be pasted."""
    return f'state it with the setting "{SECTION}.assume": {json.dumps(expressions, ensure_ascii=False)}'


def _table(layer: object) -> dict[str, Any]:
    """The settings of a layer by their names with underscores."""
    if not isinstance(layer, Mapping):
        return {}
    inner = layer.get(SECTION)
    table = inner if isinstance(inner, Mapping) else layer
    return {
        str(key).replace("-", "_"): value
        for key, value in table.items()
        if "." not in str(key) and not isinstance(value, Mapping) and value is not None
    }
