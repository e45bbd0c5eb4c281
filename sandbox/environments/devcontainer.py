"""The image or Dockerfile that a project's `devcontainer.json` names (https://containers.dev/implementors/json_reference/)."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.environments.declaration import DEVCONTAINERS, Dockerfile
from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from afterburner.sandbox.environments.declaration import ProjectReader

_JSONC = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)  # a text, or a comment
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def find_devcontainer(reader: ProjectReader) -> tuple[str | Dockerfile, str] | None:
    """The image's name or the Dockerfile, and the file that says so; None if the project has no such file.

    Features and commands that would run later are not carried out.

    Raises:
        UsageError: it cannot be read, or names neither.
    """
    for place in DEVCONTAINERS:
        text = reader.text(place)
        if text is not None:
            return _base(_read(text, place), place), place
    return None


def _read(text: str, place: str) -> dict[str, Any]:
    """JSON with comments and last commas, as its readers allow."""
    plain = _LAST_COMMA.sub(lambda found: found[1] or "", _JSONC.sub(lambda found: found[1] or " ", text))
    try:
        settings = json.loads(plain)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise UsageError(f"{place} is not a JSON object.")
    return settings


def _base(settings: dict[str, Any], place: str) -> str | Dockerfile:
    build = settings.get("build")
    build = build if isinstance(build, dict) else {}
    dockerfile = build.get("dockerfile", settings.get("dockerFile"))
    folder = PurePosixPath(place).parent
    if isinstance(dockerfile, str):
        arguments = build.get("args")
        target, context = build.get("target"), build.get("context", settings.get("context", "."))
        return Dockerfile(
            (folder / dockerfile).as_posix(),
            (folder / str(context)).as_posix(),
            tuple(_arguments(arguments if isinstance(arguments, dict) else {}, place)),
            target if isinstance(target, str) else None,
        )
    image = settings.get("image")
    if isinstance(image, str) and image.strip():
        return _plain(image.strip(), place)
    raise UsageError(
        f"{place} names neither an image nor a Dockerfile, and Docker Compose is not supported. "
        "Name an image or a Dockerfile with --environment-from."
    )


def _arguments(found: dict[str, Any], place: str) -> list[tuple[str, str]]:
    return sorted((name, _plain(str(value), place)) for name, value in found.items())


def _plain(text: str, place: str) -> str:
    """A text without variables: what they stand for may be a secret of whoever has them set."""
    if "${" in text:
        raise UsageError(
            f"{place}: {text!r} contains a variable; variables are not expanded. Name an image with --environment-from."
        )
    return text
