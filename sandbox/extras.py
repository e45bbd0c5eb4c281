"""The optional parts of this distribution: which are installed, and the command that adds one."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from afterburner.sandbox.credentials import without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DISTRIBUTION = "afterburner-agent"
# `name[x]>=1; python_version < "3.13" and extra == "docker"`, as METADATA writes a requirement of an extra.
_EXTRA = re.compile(r"""([\w.-]+)\s*(?:\[([\w.,\s-]+)\])?.*;.*\bextra\s*==\s*["']([\w.-]+)["']""")


def required_by_extras() -> dict[str, set[str]]:
    """The distributions that each extra names, and those of the extras that it names in turn, as far as is known."""
    return {extra: set(_required(DISTRIBUTION, extra)) for _, _, extra in _requirements(DISTRIBUTION)}


def _required(distribution: str, extra: str) -> Iterator[str]:
    for name, extras, of in _requirements(distribution):
        if of != extra:
            continue
        if name != distribution:
            yield name
        if name == distribution or is_installed(name):
            for each in filter(None, extras):
                yield from _required(name, each)


def _requirements(distribution: str) -> Iterator[tuple[str, list[str], str]]:
    """The requirements of a distribution's extras: what, with which extras of its own, and for which extra."""
    for requirement in metadata.requires(distribution) or ():
        match = _EXTRA.match(requirement)
        if match:
            name, extras, extra = match.groups()
            yield name, [each.strip() for each in (extras or "").split(",")], extra


def is_installed(name: str) -> bool:
    """Whether a distribution of this name is installed beside us."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def install_command(*extras: str) -> str:
    """The command that adds extras to this installation, made by pip, pipx or uv from a registry, a URL or a clone.

    pipx and uv install a tool anew: their command names the extras that are there as well; packages injected into the
    tool must be injected again.
    """
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx install --force {_requirement(_with_those_here(extras))}"
    if (prefix / "uv-receipt.toml").is_file():
        return f"uv tool install --force {_requirement(_with_those_here(extras))}"
    python = shlex.quote(sys.executable)
    install = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return f"{install} {_requirement(list(extras))}"


def _with_those_here(extras: Sequence[str]) -> list[str]:
    here = [name for name, needs in required_by_extras().items() if all(map(is_installed, needs))]
    return sorted({*here, *extras})


def _requirement(extras: list[str]) -> str:
    """The requirement, quoted for a shell, that installs this distribution from its source (PEP 610) with extras."""
    listed = f"[{','.join(extras)}]"
    try:
        url, is_editable = _source()
    except (KeyError, TypeError, AttributeError, ValueError):  # no installer writes it so; the name alone may do
        url, is_editable = "", False
    if is_editable:
        return f"-e {shlex.quote(url + listed)}"
    name = DISTRIBUTION + listed
    return shlex.quote(f"{name} @ {url}" if url else name)


def _source() -> tuple[str, bool]:
    """The URL that this distribution was installed from, or of an editable one the folder; empty: it was a registry."""
    source = json.loads(metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    url, version_control = source.get("url", ""), source.get("vcs_info", {})
    here = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    if here and not os.path.exists(here):  # it was a folder for the time of the installation only
        return "", False
    if source.get("dir_info", {}).get("editable"):
        return here, True
    url = without_credentials(url)
    if version_control:
        url = f"{version_control['vcs']}+{url}@{version_control['commit_id']}"
    return url + (f"#subdirectory={source['subdirectory']}" if source.get("subdirectory") else ""), False
