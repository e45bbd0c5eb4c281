"""Reads the YAML of actions and workflows as GitHub does, and finds and hashes files by patterns."""

from __future__ import annotations

import hashlib
import os
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAPPING = yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG
_WILD = frozenset("*?[")


class _Loader(yaml.SafeLoader):
    """YAML as GitHub takes it: `on` is a word, a date is a text, no key comes twice, and none merges (`<<`)."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.YAMLError(f"'{key}' is already defined, line {node.start_mark.line + 1}")
    return {str(loader.construct_object(key)): loader.construct_object(value, deep=True) for key, value in node.value}


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    unwanted = {"tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"}
    kept = {
        start: [(tag, pattern) for tag, pattern in found if tag not in unwanted]
        for start, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    truth = ("tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"))
    for start in "tTfF":
        kept[start] = [truth, *kept.get(start, [])]
    return kept


_Loader.yaml_implicit_resolvers = _resolvers()
_Loader.add_constructor(_MAPPING, _mapping)


def load_yaml(text: str) -> Any:
    """Read YAML.

    Raises:
        yaml.YAMLError: It is none, or a key comes twice.
    """
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # it is a SafeLoader


def search_root(folder: Path, pattern: str) -> Path:
    """Give where the search for a pattern begins: all of it before the first wildcard."""
    whole = Path(os.path.normpath(folder / pattern))
    plain = list(takewhile(lambda part: not _WILD & set(part), whole.parts))
    return Path(*plain)


def matches(folder: Path, patterns: Sequence[str]) -> dict[Path, Path]:
    """Give the files that patterns name, each with where its search began; `!` takes away what came before."""
    found: dict[Path, Path] = {}
    for pattern in (each.strip() for each in patterns):
        if not pattern or pattern.startswith("#"):
            continue
        root = search_root(folder, pattern.removeprefix("!"))
        named = _files(folder, pattern.removeprefix("!"), root)
        if pattern.startswith("!"):
            found = {path: start for path, start in found.items() if path not in named}
        else:
            found |= dict.fromkeys(named, root)
    return dict(sorted(found.items()))


def _files(folder: Path, pattern: str, root: Path) -> list[Path]:
    rest = Path(os.path.normpath(folder / pattern)).relative_to(root)
    named = [root] if rest == Path() else list(root.glob(str(rest)))
    inside = [path for each in named if each.is_dir() for path in each.rglob("*")]
    return [path for path in (*named, *inside) if path.is_file()]


def hash_files(folder: Path, *patterns: str) -> str:
    """Give what `hashFiles()` gives: one hash of all files that patterns name, and nothing where there is none."""
    files = matches(folder, patterns)
    total = hashlib.sha256()
    for path in files:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest() if files else ""
