"""What the editor is set to: the settings of a run by their names in pyproject.toml, and a few of the editor's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECTION = "afterburner"
GIVEN_BY = "the editor's settings"
_OWN = {
    "trusted": "whether code of the workspace may run without a question",
    "preview": "whether the editor shows a rewrite before it is applied, where it can",
}


class EditorSettingsError(ValueError):
    """A setting of the editor's own is of the wrong type. The message says which."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The settings that hold for a document.

    Attributes:
        run: of a run, by their names in pyproject.toml; `Session.project_options` checks them.
        trusted: whether code of the workspace may run without a question.
        preview: whether the editor shows a rewrite before it is applied, where it can.
    """

    run: Mapping[str, Any] = field(default_factory=dict)
    trusted: bool = False
    preview: bool = True


def read_settings(*layers: object) -> EditorSettings:
    """Put layers of settings together, of which the later ones come first.

    Each is what a client gave: an object with settings, or with all of them under `afterburner`; anything else is none.
    Keys with a dot, such as `trace.server`, are the client's own.

    Raises:
        EditorSettingsError: a setting of the editor's own is of the wrong type.
    """
    values: dict[str, Any] = {}
    for layer in layers:
        for key, value in _table(layer).items():
            if "." not in key and not isinstance(value, Mapping) and value is not None:
                values[key.replace("-", "_")] = value
    own = {name: values.pop(name) for name in _OWN if name in values}
    for name, value in own.items():
        if not isinstance(value, bool):
            raise EditorSettingsError(f"{GIVEN_BY}: {name} = {value!r:.60}: give true or false: {_OWN[name]}.")
    return EditorSettings(values, **own)


def _table(layer: object) -> Mapping[str, Any]:
    if not isinstance(layer, Mapping):
        return {}
    table = {str(key): value for key, value in layer.items()}
    inner = table.get(SECTION)
    return {str(key): value for key, value in inner.items()} if isinstance(inner, Mapping) else table
