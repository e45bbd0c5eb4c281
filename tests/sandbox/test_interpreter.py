"""Which Python the user's code runs under, and what of the disk it is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from afterburner.sandbox import Program, PythonEnvironment, Sandbox, TestCase, UsageError
from afterburner.sandbox.installations import (
    OWN_SITE,
    base_binds,
    has_package,
    own_environment,
    own_package_binds,
    take_apart,
)
from afterburner.sandbox.interpreter import find_interpreter, python_environment
from afterburner.sandbox.project import stage_project

BASE = Path(own_environment().executable)


@pytest.fixture(autouse=True)
def no_active_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def make_environment(folder: Path, *options: str, python: Path = BASE) -> Path:
    subprocess.run([python, "-m", "venv", "--without-pip", *options, folder], check=True, capture_output=True)
    return folder / "bin" / "python"


def add_package(folder: Path, name: str) -> None:
    library = next((folder / "lib").glob("python3.*"))
    (library / "site-packages" / f"{name}.py").write_text("VALUE = 7\n")


def run(sandbox: Sandbox, environment: PythonEnvironment, source: str) -> str:
    report = sandbox.run(Program("python", source, environment=environment), [TestCase()])
    assert report.verdict == "accepted", report.cases[0].stderr
    return report.cases[0].stdout.decode().strip()


def test_the_request_comes_before_the_active_environment_before_the_projects_before_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    assert find_interpreter(None, project) == Path(sys.executable)
    plain = make_environment(project / "venv")
    assert find_interpreter(None, project) == plain
    dotted = make_environment(project / ".venv")
    assert find_interpreter(None, project) == dotted
    active = make_environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert find_interpreter(None, project) == active
    assert find_interpreter(str(BASE), project) == BASE
    assert find_interpreter(str(tmp_path / "active"), project) == active  # a folder stands for the Python in it
    monkeypatch.setenv("PATH", str(BASE.parent))
    assert find_interpreter(BASE.name, project).samefile(BASE)


def test_what_is_no_python_is_refused_with_a_next_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "python3"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    text = tmp_path / "python"
    text.write_text("not a program")
    for requested in (str(tmp_path / "missing"), str(script), str(text), "/bin/ls", "no-such-python", "/dev/null"):
        with pytest.raises(UsageError, match="--python"):
            find_interpreter(requested, tmp_path)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    with pytest.raises(UsageError, match="VIRTUAL_ENV"):
        find_interpreter(None, tmp_path)


def test_an_old_python_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib/python3.8").mkdir(parents=True)
    (tmp_path / "lib/python3.8/os.py").touch()
    old = tmp_path / "bin/python3.8"
    old.write_bytes(BASE.read_bytes()[:64])
    old.chmod(0o755)
    with pytest.raises(UsageError, match=r"is Python 3\.8\. The sandbox needs 3\.9 or newer"):
        find_interpreter(str(old), tmp_path)


def test_a_launcher_is_asked_what_it_starts_only_if_the_user_named_it(tmp_path: Path) -> None:
    launcher = tmp_path / "shims" / "python3"
    launcher.parent.mkdir()
    launcher.write_text(f'#!/bin/sh\ntouch "{tmp_path}/started"\nexec "{BASE}" "$@"\n')
    launcher.chmod(0o755)
    assert find_interpreter(str(launcher), tmp_path).samefile(BASE)
    assert (tmp_path / "started").exists()


def test_a_python_that_came_with_the_project_is_not_started_on_the_host(tmp_path: Path, sandbox: Sandbox) -> None:
    trap = tmp_path / ".venv" / "bin" / "python"
    trap.parent.mkdir(parents=True)
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\necho '[[3, 12], \"/\", \"cpython\"]'\n")
    trap.chmod(0o755)
    (tmp_path / ".venv/pyvenv.cfg").write_text(f"home = {tmp_path}\n")
    with pytest.raises(UsageError, match="not there any more"):
        find_interpreter(None, tmp_path)
    (tmp_path / ".venv/pyvenv.cfg").write_text(f"home = {BASE.parent}\n")
    python_environment(sandbox, find_interpreter(None, tmp_path))
    assert not (tmp_path / "sprung").exists()


def test_links_of_an_environment_that_lead_out_of_it_show_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    keys = tmp_path / "home" / ".ssh"
    keys.mkdir(parents=True)
    (keys / "id_rsa").write_text("a secret")
    executable = make_environment(tmp_path / "project" / ".venv")
    library = tmp_path / "project" / ".venv" / "lib"
    library.rename(tmp_path / "home" / "lib")
    library.symlink_to(keys)
    environment = python_environment(sandbox, executable)
    source = f"import os; print([os.path.exists(path) for path in ({str(library)!r}, {str(keys)!r})])"
    assert run(sandbox, environment, source) == "[False, False]"


def test_links_of_a_python_that_came_with_the_project_show_nothing_outside_of_it(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    keys = tmp_path / "home" / ".ssh"
    keys.mkdir(parents=True)
    (keys / "id_rsa").write_text("a secret")
    python = tmp_path / "project" / "node_modules" / "python"  # no folder of which the copy has anything
    (python / "bin").mkdir(parents=True)
    (python / "bin/python3.11").write_text(f'#!/bin/sh\nexec "{BASE}" "$@"\n')
    (python / "bin/python3.11").chmod(0o755)
    (python / "lib/python3.11").mkdir(parents=True)
    (python / "lib/python3.11/os.py").touch()
    (python / "lib64").symlink_to(keys)
    environment = tmp_path / "project" / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = /nowhere\n")
    (environment / "bin/python").symlink_to(python / "bin/python3.11")
    base, _ = take_apart(find_interpreter(None, tmp_path / "project"))
    binds = (*own_environment().binds, *base_binds(base))
    shown = PythonEnvironment(str(BASE), sys.version_info[:2], binds)
    source = f"import os; print([os.path.exists(path) for path in ({str(python / 'lib64')!r}, {str(keys)!r})])"
    assert run(sandbox, shown, source) == "[False, False]"


def test_an_environment_inside_the_project_is_there_with_its_packages(tmp_path: Path, sandbox: Sandbox) -> None:
    root = tmp_path / "my project"
    (root / "src").mkdir(parents=True)
    (root / "src/own.py").write_text("VALUE = 5\n")
    executable = make_environment(root / ".venv")
    add_package(root / ".venv", "dependency")
    staged = stage_project(root, tmp_path / "copy", root / "src/own.py")
    environment = python_environment(sandbox, executable, project=staged, import_paths=(str(root / "src"),))
    assert has_package(environment, "dependency")
    assert not has_package(environment, "own")
    source = "import own, dependency, sys; print(own.VALUE, dependency.VALUE, sys.prefix, sys.executable)"
    assert run(sandbox, environment, source) == f"5 7 {root / '.venv'} {executable}"
    assert environment.version == sys.version_info[:2]


@pytest.mark.parametrize(
    ("link", "leads_to", "environment"),
    [
        (".venv", "{outside}", ".venv"),  # kept elsewhere, which is none of the project's files
        (".venv", "envs/main", ".venv"),  # a folder of the project that is not copied
        ("tools", "{outside}/..", "tools/kept"),
    ],
)
def test_an_environment_behind_a_link_of_the_project_is_there_as_a_plain_one_is(
    tmp_path: Path, sandbox: Sandbox, link: str, leads_to: str, environment: str
) -> None:
    root, outside = tmp_path / "project", tmp_path / "elsewhere" / "kept"
    root.mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)  # it lists a link as it lists a file
    (root / "own.py").write_text("VALUE = 5\n")
    outside.mkdir(parents=True)
    (root / link).symlink_to(leads_to.format(outside=outside))
    real = (root / environment).resolve()
    make_environment(real)
    add_package(real, "dependency")
    before = sorted(real.rglob("*"))
    staged = stage_project(root, tmp_path / "copy", root / "own.py")
    executable = find_interpreter(str(root / environment), root)
    shown = python_environment(sandbox, executable, project=staged, import_paths=(str(root),))
    source = "import own, dependency, sys; print(own.VALUE, dependency.VALUE, sys.prefix)"
    assert run(sandbox, shown, source) == f"5 7 {root / environment}"
    assert sorted(real.rglob("*")) == before, "something was put into the user's own folder"


def test_packages_of_the_system_are_there_only_if_the_environment_says_so(tmp_path: Path, sandbox: Sandbox) -> None:
    inner = make_environment(tmp_path / "inner", "--system-site-packages")
    alone = make_environment(tmp_path / "alone")
    name = "pip" if has_package(own_environment(), "pip") else "setuptools"
    if not has_package(own_environment(), name):
        pytest.skip("the base installation has no packages of its own")
    with_system, without = python_environment(sandbox, inner), python_environment(sandbox, alone)
    assert (has_package(with_system, name), has_package(without, name)) == (True, False)
    source = f"import importlib.util; print(importlib.util.find_spec({name!r}) is not None)"
    assert (run(sandbox, with_system, source), run(sandbox, without, source)) == ("True", "False")


def test_an_environment_whose_link_leads_elsewhere_still_runs(tmp_path: Path, sandbox: Sandbox) -> None:
    link = tmp_path / "tools" / BASE.name
    link.parent.mkdir()
    link.symlink_to(BASE)
    executable = make_environment(tmp_path / "env")
    executable.unlink()
    executable.symlink_to(link)
    add_package(tmp_path / "env", "dependency")
    environment = python_environment(sandbox, executable)
    assert run(sandbox, environment, "import dependency; print(dependency.VALUE)") == "7"


def test_nothing_else_of_the_home_folder_is_shown(sandbox: Sandbox) -> None:
    environment = python_environment(sandbox, Path(sys.executable))
    home = Path.home()
    listing = f"import os; print(os.path.isdir({str(home)!r}) and sorted(os.listdir({str(home)!r})))"
    shown = run(sandbox, environment, listing)
    allowed = {
        Path(bind.destination).relative_to(home).parts[0]
        for bind in environment.binds
        if Path(bind.destination).is_relative_to(home)
    }
    assert shown == (str(sorted(allowed)) if allowed else "False")


@pytest.mark.skipif(not os.access("/usr/bin/python3", os.X_OK), reason="the system has no Python of its own")
def test_the_systems_python_runs_too(sandbox: Sandbox) -> None:
    environment = python_environment(sandbox, find_interpreter("/usr/bin/python3", Path("/")))
    assert run(sandbox, environment, "import sys; print(sys.version_info[:2])") == str(environment.version)


def test_packages_of_ours_can_be_lent(sandbox: Sandbox) -> None:
    own = own_environment()
    binds = (*own.binds, *own_package_binds("hypothesis", "sortedcontainers"))
    environment = PythonEnvironment(own.executable, own.version, binds, (OWN_SITE,))
    source = "import hypothesis, sortedcontainers, importlib.metadata as m; print(m.version('hypothesis'))"
    assert run(sandbox, environment, source)[0].isdigit()
    with pytest.raises(UsageError, match="pip install no-such-package"):
        own_package_binds("no-such-package")
