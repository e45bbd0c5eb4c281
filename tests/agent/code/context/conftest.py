"""A real project on the disk, staged as a run stages it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.context.surroundings import Surroundings
from afterburner.agent.code.locate import find_target
from afterburner.agent.options import ModelOptions, RunSettings
from afterburner.sandbox import PythonEnvironment
from afterburner.sandbox.project import stage_project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.types import Target


@dataclass(frozen=True)
class Project:
    """A git repository of ours, and a folder that packages are installed in."""

    root: Path
    packages: Path
    copies: Path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)

    def install(self, name: str, version: str, *modules: str, by: str = "RECORD") -> None:
        place = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: no\n")
        record = "".join(f"{module}/__init__.py,sha256=x,1\n" for module in modules)
        text = record + f"{place.name}/METADATA,,\n../../bin/x,,\n" if by == "RECORD" else "\n".join(modules)
        (place / by).write_text(text)

    def target(self, file: str, function: str | None) -> Target:
        return find_target(self.root / file, function, whole_program=function is None)

    def around(self, target: Target, tokens: int = 3_000, *allowed: str) -> Surroundings:
        copy = self.copies / str(len(list(self.copies.iterdir())))
        staged = stage_project(Path(target.project_root), copy, Path(target.path))
        environment = PythonEnvironment("/python", (3, 10), (), site_packages=(str(self.packages),))
        settings = RunSettings(target.path, models=ModelOptions(context_tokens=tokens, allow_imports=allowed))
        return Surroundings(target, staged, environment, settings)

    def told(self, file: str, function: str | None, tokens: int = 3_000, *allowed: str) -> str:
        target = self.target(file, function)
        return self.around(target, tokens, *allowed).describe(target)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root, packages, copies = (tmp_path / name for name in ("project", "packages", "copies"))
    for folder in (root, packages, copies):
        folder.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return Project(root, packages, copies)
