"""What others build on: the public Python API and the JSON schemas, and what has changed of them since a release.

python -m scripts.release.api            say what has changed, and what of it the changelog does not name
python -m scripts.release.api --write    at a release: this is what the next one is compared with
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import hashlib
import inspect
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts.release.errors import ReleaseError

ROOT = Path(__file__).resolve().parents[2]
RELEASED = "docs/public-api.json"
_FACES = ("afterburner.agent", "afterburner.sandbox")  # each lists its names in `__all__`
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FLOORS = ("agent", "ci_action", "evals", "lsp_server", "sandbox", "training")


def public_api(root: Path = ROOT) -> dict[str, str]:
    """Every public name with its signature, and every schema with a hash of what it says."""
    found = {
        f"{face}.{name}": _described(getattr(import_module(face), name)) for face in _FACES for name in _names(face)
    }
    for floor in _FLOORS:
        for path in sorted((root / floor).rglob("*-schema.json")):
            said = json.dumps(json.loads(path.read_text("utf-8")), sort_keys=True)
            found[path.name] = hashlib.sha256(said.encode()).hexdigest()
    return dict(sorted(found.items()))


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """The names that are new, gone or different."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def check_api(root: Path = ROOT, now: dict[str, str] | None = None) -> str:
    """That the newest section of the changelog names whatever has changed since the last release.

    Raises:
        ReleaseError: it does not.
    """
    before = json.loads((root / RELEASED).read_text("utf-8"))
    names = changed(before, public_api(root) if now is None else now)
    section = _newest_section((root / "CHANGELOG.md").read_text("utf-8"))
    untold = [name for name in names if not _is_named(name, section)]
    if untold:
        raise ReleaseError(
            f"CHANGELOG.md does not say what has changed of {', '.join(untold)}. Name each there, with backquotes, and "
            "say what users have to change."
        )
    return f"{len(names)} changes since the last release, all in the changelog"


def _names(face: str) -> list[str]:
    return list(import_module(face).__all__)


def _described(value: Any) -> str:
    """The signature of a function; of a class also its fields, public methods and members."""
    if not inspect.isclass(value):
        return _signature(value)
    if issubclass(value, enum.Enum):
        return "; ".join(f"{member.name} = {member.value!r}" for member in value)
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    parts = [f"{field.name}: {_type(field)}{'' if _is_required(field) else ' = …'}" for field in fields]
    for name, member in sorted(vars(value).items()):
        if inspect.isfunction(member) and ((name == "__init__" and not fields) or not name.startswith("_")):
            parts.append(f"{name}{_signature(member)}")
        elif isinstance(member, property) and not name.startswith("_"):
            parts.append(name)
    return f"({', '.join(base.__name__ for base in value.__bases__)}) {'; '.join(parts)}"


def _signature(function: Any) -> str:
    return _ADDRESS.sub("", str(inspect.signature(function)))


def _type(field: dataclasses.Field[Any]) -> str:
    """Without what the command line says of it."""
    return str(field.type).removeprefix("Annotated[").partition(", Option(")[0]


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _newest_section(changelog: str) -> str:
    """The unreleased entries, or those of the version that is about to be released."""
    sections = re.split(r"(?m)^## ", changelog)[1:]
    return next((text for text in sections if text.partition("\n")[2].strip()), "")


def _is_named(name: str, section: str) -> bool:
    last = name if name.endswith(".json") else name.rpartition(".")[2]
    return re.search(rf"`(?:[\w.]+\.)?{re.escape(last)}\b", section) is not None


def main() -> int:
    """Write what is public now, or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="this is what the next release is compared with")
    if parser.parse_args().write:
        (ROOT / RELEASED).write_text(json.dumps(public_api(), indent=1) + "\n", encoding="utf-8")
        return 0
    try:
        print(check_api())
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
