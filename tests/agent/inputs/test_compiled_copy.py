"""Processes find the modules of a larger project compiled, and never what does not belong to its text."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.compiled_copy import FEW_FILES, add_compiled
from afterburner.agent.inputs.staging import stage
from afterburner.sandbox import Limits, Program, TestCase
from afterburner.sandbox.project import StagedProject, replace_in_copy

if TYPE_CHECKING:
    from afterburner.agent.inputs.staging import Staged
    from afterburner.sandbox import Sandbox

    from .conftest import Project

pytestmark = pytest.mark.slow
LOADING = """\
import importlib.machinery as machinery
compiled = []
plain = machinery.SourceFileLoader.source_to_code
machinery.SourceFileLoader.source_to_code = lambda self, data, path, **more: (
    compiled.append(path.rpartition("/")[2]) or plain(self, data, path, **more))
import shop
print(sorted(compiled), shop.total())
"""


@pytest.fixture
def shop(project: Project) -> Project:
    for number in range(FEW_FILES):
        project.write(f"parts/part{number}.py", f"VALUE = {number}\n")
    imports = "".join(f"from parts.part{number} import VALUE as value{number}\n" for number in range(FEW_FILES - 1))
    total = " + ".join(f"value{number}" for number in range(FEW_FILES - 1))
    project.write("shop.py", f"{imports}\ndef total():\n    return {total}\n")
    return project


def _loaded(sandbox: Sandbox, staged: Staged) -> str:
    paths = ":".join(staged.environment.import_paths)
    program = Program(
        "python", f"import sys\nsys.path[:0] = {paths.split(':')!r}\n{LOADING}", environment=staged.environment
    )
    [case] = sandbox.run(program, [TestCase(b"")], Limits()).cases
    assert case.stderr == ""
    return case.stdout.decode().strip()


def test_what_the_target_imports_is_compiled_once_and_again_where_its_text_is_another(
    sandbox: Sandbox, shop: Project
) -> None:
    staged = stage(shop.target("shop.py", "total"), sandbox)
    total = sum(range(FEW_FILES - 1))
    assert _loaded(sandbox, staged) == f"['shop.py'] {total}", "the target itself is always read as text"
    kept = {path.name.partition(".")[0] for path in staged.project.folder.rglob("*.pyc")}
    assert kept == {f"part{number}" for number in range(FEW_FILES - 1)}, "part19 is imported by nobody"
    replace_in_copy(staged.project, Path("parts/part3.py"), b"VALUE = 1_003\n")
    assert _loaded(sandbox, staged) == f"['part3.py', 'shop.py'] {total + 1_000}"
    assert not list(shop.root.rglob("*.pyc")), "the user's own folder stays as it is"


def test_nothing_is_compiled_where_importing_fails_or_takes_no_time(sandbox: Sandbox, shop: Project) -> None:
    shop.write("shop.py", "import parts.part1\nimport no_such_module\ndef total():\n    return 1\n")
    assert not list(stage(shop.target("shop.py", "total"), sandbox).project.folder.rglob("*.pyc"))
    alone = shop.root / "alone"
    alone.mkdir()
    shop.write("alone/pyproject.toml", "")
    shop.write("alone/one.py", "def f():\n    return 1\n")
    shop.write("alone/two.py", "import one\ndef g():\n    return one.f()\n")
    assert not list(stage(shop.target("alone/two.py", "g"), sandbox).project.folder.rglob("*.pyc"))


def test_an_answer_cannot_put_files_elsewhere(tmp_path: Path) -> None:
    root, copy, outside = tmp_path / "root", tmp_path / "copy", tmp_path / "outside"
    for folder in (copy / "inner", copy / "leading", copy / "taken", outside):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("A = 1\n", encoding="utf-8")
    (copy / "link").symlink_to(outside)
    (copy / "leading" / "__pycache__").symlink_to(outside)
    (copy / "taken" / "__pycache__").write_text("", encoding="utf-8")
    (copy / "data.txt").write_text("", encoding="utf-8")
    project = StagedProject((), FEW_FILES, (), root, copy)
    code = base64.b64encode(b"code").decode("ascii")
    paths = [f"{root}/../outside/a.py", f"{outside}/a.py", f"{root}/link/a.py", f"{root}/data.txt", f"{root}/no.py"]
    paths += [f"{root}/leading/a.py", f"{root}/taken/a.py"]
    modules = [*([path, code] for path in paths), ["x"], 3, [f"{root}/inner/a.py", "no base 64"]]
    magic = base64.b64encode(b"\xa7\r\r\n").decode("ascii")

    class Told:
        def __init__(self, *bodies: dict[str, object]) -> None:
            self.bodies = bodies

        def ask(self, _job: str, _origin: str) -> object:
            return type("Answer", (), {"told": self.bodies})()

    right = [f"{root}/inner/a.py", code]
    for body in (
        {"tag": "cpython-311", "magic": magic, "modules": modules},
        {"tag": "../../x-311", "magic": magic, "modules": [right]},
        {"tag": "cpython-311", "magic": code, "modules": [right]} | {"magic": ""},
        {"tag": None, "magic": magic, "modules": [right]},
        {"modules": {}},
    ):
        add_compiled(project, Told(body))  # type: ignore[arg-type]
    assert not list(tmp_path.rglob("*.pyc"))
    add_compiled(project, Told({"tag": "cpython-311", "magic": magic, "modules": [right]}))  # type: ignore[arg-type]
    assert [path.relative_to(copy) for path in tmp_path.rglob("*.pyc")] == [Path("inner/__pycache__/a.cpython-311.pyc")]
