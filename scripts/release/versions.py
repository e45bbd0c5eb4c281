"""One version everywhere: pyproject.toml, the changelog, the extension of VS Code."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

from scripts.release.errors import ReleaseError

if TYPE_CHECKING:
    from pathlib import Path


def check_versions(root: Path) -> str:
    """The version, once every file agrees on it and the changelog has a dated section for it.

    Raises:
        ReleaseError: they do not.
    """
    version = str(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"])
    extension = json.loads((root / "lsp_server/clients/vscode/package.json").read_text("utf-8"))["version"]
    if extension != version:
        raise ReleaseError(f"lsp_server/clients/vscode/package.json says {extension}, pyproject.toml says {version}.")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"(?m)^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$", changelog):
        raise ReleaseError(f"CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD`. Name the unreleased one so.")
    unreleased = re.search(r"(?ms)^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog)
    if unreleased and unreleased[1].strip():
        raise ReleaseError(f"CHANGELOG.md still has unreleased entries. Move them to the section of {version}.")
    return version
