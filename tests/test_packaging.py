"""What is installed: the folders of the repository, all of them, under one import name and no other."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from subprocess import run
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ("agent", "ci_action", "evals", "lsp_server", "sandbox", "training")
NOT_PACKAGED = (ROOT / "lsp_server" / "clients", ROOT / "ci_action" / "steps")
LITTER = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build", "dist")
# A wheel holds these kinds of files; anything else in a floor is not meant for it and does not belong there.
MARKED_AS_DATA = {".csv", ".jsonl", ".py", ".typed", ".c", ".h", ".json", ".toml", ".yaml"}


@pytest.fixture(scope="module")
def setuptools_table() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = project["tool"]["setuptools"]
    return table


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built by way of the source distribution: both have to be complete."""
    tree = tmp_path_factory.mktemp("tree")
    for floor in FLOORS:
        shutil.copytree(ROOT / floor, tree / floor, ignore=LITTER)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    done = run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", "."],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (tree / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel. Its dependencies are ours, borrowed: downloading them shows nothing new."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    return home


def in_the_floors(pattern: str) -> list[Path]:
    """What the floors hold of ours. An editor's extension is no Python package: it is packed on its own."""
    found = [path for floor in FLOORS for path in (ROOT / floor).rglob(pattern)]
    return [path for path in found if "__pycache__" not in path.parts and not set(NOT_PACKAGED) & set(path.parents)]


def files_of_the_floors() -> set[str]:
    return {str(path.relative_to(ROOT)) for path in in_the_floors("*") if path.is_file()}


def test_the_packages_listed_are_the_packages_on_disk(setuptools_table: dict[str, Any]) -> None:
    on_disk = {path.parent for path in in_the_floors("__init__.py")}
    named = {f"afterburner.{'.'.join(folder.relative_to(ROOT).parts)}" for folder in on_disk}
    assert setuptools_table["packages"] == sorted(named)
    assert setuptools_table["package-dir"] == {
        name: name.removeprefix("afterburner.").replace(".", "/") for name in setuptools_table["packages"]
    }


def test_every_folder_with_python_in_it_is_a_package() -> None:
    folders = {path.parent for path in in_the_floors("*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_every_floor_is_typed_and_can_be_seen_by_type_checkers() -> None:
    assert [floor for floor in FLOORS if not (ROOT / floor / "py.typed").is_file()] == []
    views = {path.name: path.resolve() for path in (ROOT / "typings" / "afterburner").iterdir()}
    assert views == {floor: ROOT / floor for floor in FLOORS}


def test_the_namespace_has_no_init_file() -> None:
    assert not list(ROOT.glob("**/afterburner/__init__.py"))


def test_the_wheel_holds_every_file_of_the_floors_and_nothing_else(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    files = files_of_the_floors()
    assert {name for name in files if Path(name).suffix not in MARKED_AS_DATA} == set()
    assert set(names) == {f"afterburner/{name}" for name in files}
    assert "afterburner/sandbox/meter/meter.c" in names


def test_the_wheel_carries_the_licence(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (licence,) = [name for name in archive.namelist() if name.endswith("/LICENSE")]
    assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()


def test_the_installed_command_runs(installed: Path, tmp_path: Path) -> None:
    command = installed / "bin" / "afterburner-agent"
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    done = run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"afterburner-agent {version}\n"


def test_the_installed_package_finds_its_own_files(installed: Path, tmp_path: Path) -> None:
    """The meter's source and the scripts that go into the sandbox are read from beside the modules."""
    script = (
        "import afterburner.sandbox.meter as meter, afterburner.sandbox.driver as driver\n"
        "import afterburner.agent.inputs.inside as harness\n"
        "from pathlib import Path\n"
        "for module in (meter, driver, harness):\n"
        "    print(*sorted(path.name for path in Path(module.__file__).parent.iterdir() if path.is_file()))"
    )
    done = run([installed / "bin" / "python", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    folders = ("sandbox/meter", "sandbox/driver", "agent/inputs/inside")
    expected = [sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file()) for folder in folders]
    assert [line.split() for line in done.stdout.splitlines()] == expected


def test_no_bare_name_is_installed(installed: Path, tmp_path: Path) -> None:
    """A user's own package `agent` or `sandbox` must not be shadowed."""
    script = f"import importlib.util as u; print([n for n in {FLOORS!r} if u.find_spec(n)])"
    done = run([installed / "bin" / "python", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_lock_pins_everything_with_hashes_and_names_no_index() -> None:
    lock = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", re.sub(r"(?m)^#.*\n", "", lock))
    assert [
        block.split("\n")[0] for block in blocks if not re.match(r"[\w.-]+==[\w.]+ .*\n?(?s:.*)sha256:", block)
    ] == []
    assert "://" not in lock
    assert "index" not in re.sub(r"(?m)^\s*#.*\n", "", lock)


def test_the_lock_knows_every_dependency_that_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[\[<>=;]", requirement)[0].lower() for requirement in declared}
    locked = set(re.findall(r"(?m)^([\w.-]+)==", (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")))
    assert names - locked == set()
