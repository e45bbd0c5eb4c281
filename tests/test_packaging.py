"""What is installed: the folders of the repository, all of them, under one import name and no other."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from subprocess import CompletedProcess, run
from typing import Any

import pytest

from afterburner.sandbox.folders import cache_folder

ROOT = Path(__file__).parent.parent
FLOORS = ("agent", "ci_action", "evals", "lsp_server", "sandbox", "training")
MAN_PAGE = "docs/afterburner-agent.1"
NOT_PACKAGED = (ROOT / "lsp_server" / "clients", ROOT / "ci_action" / "steps")
LITTER = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build", "dist")
# A wheel holds these kinds of files; anything else in a floor is not meant for it and does not belong there.
MARKED_AS_DATA = {".csv", ".jsonl", ".py", ".typed", ".c", ".h", ".json", ".toml", ".yaml", ".yml"}
# The first build compiles musl for two machines: half a minute later on, minutes at first on a busy machine.
pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.early,
]  # a new environment compiles a C library for two machines first


@pytest.fixture(scope="module")
def setuptools_table() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = project["tool"]["setuptools"]
    return table


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clean checkout has of what is packaged."""
    tree = tmp_path_factory.mktemp("tree")
    for floor in FLOORS:
        shutil.copytree(ROOT / floor, tree / floor, ignore=LITTER)
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "scripts/wheel_backend.py", MAN_PAGE):
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    return tree


def build(tree: Path, *options: str, umask: int = 0o022, zig: Path | None = None) -> Path:
    """Build the wheel of a tree, as `python -m build` does; `zig` is where the compiler keeps its C library."""
    cache = str(zig or cache_folder() / "zig")
    done = run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist", *options, "."],
        cwd=tree,
        env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (tree / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tree: Path) -> Path:
    """The wheel of this checkout, built by way of the source distribution: both have to be complete."""
    return build(tree)


def in_the_backend(tree: Path, script: str) -> str:
    """What a Python prints that calls the build's hooks as a frontend does."""
    done = run(
        [sys.executable, "-c", script],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
    """So are folders of data with names that could be imported: each would get a page of warnings from the build."""
    on_disk = {path.parent for path in in_the_floors("__init__.py")}
    for package, patterns in setuptools_table["package-data"].items():
        folder = ROOT / setuptools_table["package-dir"].get(package, "")
        data = {path.parent for pattern in patterns if package != "*" for path in folder.glob(pattern)}
        on_disk |= {each for each in data if each.name.isidentifier()}
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


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_floors_and_nothing_else(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    names.remove(f"{'-'.join(wheel.name.split('-')[:2])}.data/data/share/man/man1/afterburner-agent.1")
    files = files_of_the_floors()
    assert {name for name in files if Path(name).suffix not in MARKED_AS_DATA} == set()
    built = {f"sandbox/meter/built/{name}" for name in ("meter-aarch64", "meter-x86_64", "sha256.json")}
    assert set(names) == {f"afterburner/{name}" for name in {*files, *built}}
    assert "afterburner/sandbox/meter/meter.c" in names


@pytest.mark.parametrize(("machine", "number"), [("x86_64", 62), ("aarch64", 183)])  # of the machine, in ELF
def test_the_wheel_brings_a_static_meter_for_each_machine(wheel: Path, machine: str, number: int) -> None:
    archive = zipfile.ZipFile(wheel)
    entry = archive.getinfo(f"afterburner/sandbox/meter/built/meter-{machine}")
    content = archive.read(entry)
    assert entry.external_attr >> 16 & 0o777 == 0o755, "an installer keeps that it may be executed"
    assert content[:5] == b"\x7fELF\x02"
    assert int.from_bytes(content[18:20], "little") == number
    assert b"ld-musl" not in content, "a static program names no loader"
    hashes = json.loads(archive.read("afterburner/sandbox/meter/built/sha256.json"))
    assert hashes[f"meter-{machine}"] == hashlib.sha256(content).hexdigest()
    assert entry.file_size < 120_000
    assert wheel.name.endswith("-py3-none-any.whl")


def copied(tree: Path, folder: Path) -> Path:
    """The same checkout of a user who lets nobody else read, at another time."""
    shutil.copytree(tree, folder, ignore=shutil.ignore_patterns("dist", "build", "*.egg-info"))
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.utime(path, (1_000_000_000, 1_000_000_000))
    return folder


@pytest.mark.nightly
def test_the_same_sources_make_the_same_wheel(tree: Path, wheel: Path, tmp_path: Path) -> None:
    """Also in another folder, straight from the checkout, and with the variables of other compilers."""
    again = build(copied(tree, tmp_path / "a checkout"), "--wheel", umask=0o077)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


@pytest.mark.nightly  # it compiles a C library twice
@pytest.mark.slow
def test_the_same_compiler_makes_the_same_meters(tree: Path, wheel: Path, tmp_path: Path) -> None:
    again = build(copied(tree, tmp_path / "a checkout"), "--wheel", zig=tmp_path / "zig")
    assert again.read_bytes() == wheel.read_bytes()


def test_without_the_compiler_the_wheel_has_the_source_alone(tree: Path, wheel: Path, tmp_path: Path) -> None:
    """As where the GitHub Action builds it: `pip install --no-build-isolation`, on a machine with another compiler."""
    assert wheel.is_file()
    script = (
        "import importlib.metadata as m; real = m.version\n"
        "def version(name):\n"
        "    if name == 'ziglang': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.version = version\n"
        f"import wheel_backend; wheel_backend.build_wheel({str(tmp_path)!r})"
    )
    in_the_backend(tree, script)
    (plain,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist()) - set(zipfile.ZipFile(plain).namelist())
    assert {Path(name).parent.name for name in names} == {"built"}


@pytest.mark.nightly
def test_what_an_earlier_build_left_is_not_in_the_wheel(tree: Path, wheel: Path) -> None:
    left = tree / "build" / "lib" / "afterburner" / "sandbox" / "gone.py"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("")
    before = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert hashlib.sha256(build(tree, "--wheel").read_bytes()).hexdigest() == before


def test_the_build_asks_for_the_compiler_that_is_pinned(tree: Path) -> None:
    lock = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    ask = "import wheel_backend as b; print(*b.get_requires_for_build_wheel(), *b.get_requires_for_build_editable())"
    (compiler,) = [each for each in in_the_backend(tree, ask).split() if each.startswith("ziglang")]
    assert re.search(rf"(?m)^{re.escape(compiler)} ", lock), (
        "an editable installation does without: it compiles its own"
    )


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


NO_COMPILER = (
    "import sys, importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *r: None if n == 'ziglang' else f(n, *r)"
)


def sandboxed(installed: Path, tmp_path: Path) -> CompletedProcess[str]:
    """Run a program in the sandbox of an installation, on a machine without any compiler."""
    bwrap = shutil.which("bwrap")
    assert bwrap
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").symlink_to(bwrap)
    (tmp_path / "program.py").write_text("print(int(input()) * 2)")
    (tmp_path / "1.in").write_text("21\n")
    (tmp_path / "1.out").write_text("42\n")
    start = f"{NO_COMPILER}; from afterburner.agent.cli.main import main; sys.exit(main())"
    return run(
        [
            installed / "bin" / "python",
            "-c",
            start,
            "sandbox",
            "run",
            "program.py",
            "--stdin",
            "1.in",
            "--expect",
            "1.out",
        ],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_installed_sandbox_needs_no_compiler(installed: Path, tmp_path: Path) -> None:
    done = sandboxed(installed, tmp_path)
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr
    assert done.stderr.startswith("accepted\n")
    assert not list((tmp_path / "cache").rglob("meter*")), "nothing was compiled"


@pytest.mark.parametrize("damage", ["changed", "cut", "no permission", "no hashes"])
def test_a_meter_that_is_not_the_wheels_is_refused_in_one_line(installed: Path, tmp_path: Path, damage: str) -> None:
    (built,) = installed.glob("lib/python*/site-packages/afterburner/sandbox/meter/built")
    kept = tmp_path / "kept"
    shutil.copytree(built, kept)
    meter = built / f"meter-{platform.machine()}"
    try:
        if damage == "changed":
            meter.write_bytes(meter.read_bytes()[:-1] + b"!")
        elif damage == "cut":
            meter.write_bytes(meter.read_bytes()[:1000])
        elif damage == "no permission":
            meter.chmod(0o644)
        else:
            (built / "sha256.json").unlink()
        done = sandboxed(installed, tmp_path)
    finally:
        shutil.rmtree(built)
        shutil.copytree(kept, built)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert str(built) in line
    assert "Reinstall the package" in line


def test_what_is_missing_is_told_with_the_command_for_this_installation(
    installed: Path, wheel: Path, tmp_path: Path
) -> None:
    """It came from a wheel's file, and LiteLLM is not beside it."""
    (tmp_path / "slow.py").write_text("def f(x: int) -> int:\n    return x\n\n\nprint(f(1))\n")
    hide = (
        "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *r: None if n == 'litellm' else f(n, *r)"
    )
    start = f"import sys; {hide}; from afterburner.agent.cli.main import main; sys.exit(main())"
    command = [installed / "bin" / "python", "-c", start, "run", "slow.py", "--model", "openai/gpt-5"]
    done = run(
        command, cwd=tmp_path, env={**os.environ, "OPENAI_API_KEY": "x"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert line.startswith("error: A language model needs LiteLLM, which is not installed. Use `--model rules`,")
    assert line.endswith(f"-m pip install 'afterburner-agent[llm] @ {wheel.as_uri()}'")


@pytest.mark.skipif(platform.machine() == "aarch64", reason="here it needs no emulator")
def test_the_meter_for_the_other_machine_starts_in_an_emulator(wheel: Path, tmp_path: Path) -> None:
    """It refuses to work outside of a container, as every meter does."""
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        pytest.skip("there is no qemu-aarch64-static (Debian: qemu-user-static)")
    zipfile.ZipFile(wheel).extract("afterburner/sandbox/meter/built/meter-aarch64", tmp_path)
    meter = tmp_path / "afterburner/sandbox/meter/built/meter-aarch64"
    meter.chmod(0o755)
    done = run([emulator, meter, "3"], capture_output=True, text=True, check=False)
    assert (done.returncode, "process 1" in done.stderr) == (2, True), done.stderr


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
