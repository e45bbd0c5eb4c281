"""Writes the settings of a run into the VS Code extension's package.json: names, types, bounds and help texts.

`make vscode` does this before it packages the extension.

    python scripts/vscode_settings.py
    python scripts/vscode_settings.py --check    # only tell whether they are current
"""

from __future__ import annotations

import json
import re
import sys
from enum import StrEnum
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from afterburner.agent.job.project_settings import NOT_SETTINGS, Setting
from afterburner.agent.job.setting_values import field_types, written_defaults

if TYPE_CHECKING:
    from afterburner.agent.option_kinds import Option

MANIFEST = Path(__file__).parent.parent / "lsp_server" / "clients" / "vscode" / "package.json"
PREFIX = "afterburner."
# What the action and the file say in an editor.
_SAID_OTHERWISE = frozenset({"objective", "language"})
_BOUNDS = {"least": "minimum", "most": "maximum", "above": "exclusiveMinimum"}


def manifest() -> str:
    """The text of package.json as it should be."""
    data = json.loads(MANIFEST.read_text(encoding="utf-8"))
    defaults = written_defaults()
    runs = {
        name: found for name, found in field_types().items() if name not in NOT_SETTINGS and name not in _SAID_OTHERWISE
    }
    data["contributes"]["configuration"][1]["properties"] = {
        _key(name): _property(option, annotation, defaults[name]) for name, (option, annotation) in runs.items()
    }
    data["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = [
        _key(name)
        for name, (option, annotation) in runs.items()
        if Setting("", annotation, None, "", option.metavar).needs_trust
    ]
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _key(name: str) -> str:
    return PREFIX + name.replace("_", "-")


def _property(option: Option, annotation: Any, default: Any) -> dict[str, Any]:
    """The JSON Schema of a setting, as VS Code's page of settings takes it."""
    bounds = {word: getattr(option, field) for field, word in _BOUNDS.items() if getattr(option, field) is not None}
    return {
        **_typed(annotation, default),
        **bounds,
        "scope": "machine-overridable" if option.metavar == "PATH" else "resource",
        "markdownDescription": re.sub(r"--([a-z-]+)", r"`#afterburner.\1#`", option.help),
    }


def _typed(annotation: Any, default: Any) -> dict[str, Any]:
    kinds = [each for each in get_args(annotation) if each is not NoneType]
    if list[str] in kinds:
        return {"type": "array", "items": {"type": "string"}, "default": []}
    kind = kinds[0] if kinds else annotation
    if issubclass(kind, StrEnum):
        return {"type": "string", "enum": [each.value for each in kind], "default": str(default)}
    if kind is str:
        return {"type": "string", "default": default or ""}
    word = {bool: "boolean", int: "integer", float: "number"}[kind]
    return {"type": [word, "null"] if kinds else word, "default": default}


def main() -> int:
    """Write the settings; with --check, only tell whether they are current."""
    if sys.argv[1:] == ["--check"]:
        return 0 if MANIFEST.read_text(encoding="utf-8") == manifest() else 1
    MANIFEST.write_text(manifest(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
