"""Toolchains as they lie on people's disks: by a package, by a version manager, in odd places, or broken."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.errors import SandboxUnavailableError, ToolchainMissingError
from afterburner.sandbox.languages import LANGUAGES, find_language
from afterburner.sandbox.toolchains import SYSTEM_PATH, Toolchain, find_toolchain

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def install() -> Callable[..., Path]:
    """Puts a program that prints something into a folder."""

    def installing(folder: Path, name: str, script: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
        return folder

    return installing


@pytest.fixture
def install_node(install: Callable[..., Path]) -> Callable[..., Toolchain]:
    """Finds a Node.js whose launcher says that its home is a given folder, where one is then made."""

    def finding(launcher: Path, home: Path) -> Toolchain:
        install(launcher, "node", f'case "$2" in *version*) echo Node.js v22.1.0;; *) echo {home};; esac')
        if home != launcher.parent:
            install(home / "bin", "node", "exit 1")
        return find_toolchain(find_language("node"), search_path=str(launcher))

    return finding


def _installed(language: str) -> Toolchain:
    try:
        return find_toolchain(LANGUAGES[language])
    except ToolchainMissingError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_installed_toolchain_tells_its_version(language: str) -> None:
    words = {"cpp": "g++ ", "java": "openjdk ", "javascript": "Node.js v", "go": "go version go", "rust": "rustc "}
    toolchain = _installed(language)
    assert toolchain.language == language
    assert toolchain.version.lower().startswith(words.get(language, f"{language} ").lower())
    assert "\n" not in toolchain.version
    assert toolchain.image is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_path_leads_to_the_programs_themselves_and_all_of_it_is_shown(language: str) -> None:
    toolchain = _installed(language)
    program = shutil.which(LANGUAGES[language].programs[0], path=toolchain.path)
    assert program is not None
    shown = [Path("/usr"), *(Path(bind.source) for bind in toolchain.binds)]
    assert any(Path(program).is_relative_to(folder) for folder in shown)
    assert any(Path(program).resolve().is_relative_to(folder.resolve()) for folder in shown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_bind_shows_a_home_folder_or_what_the_system_shows_anyway(language: str) -> None:
    for bind in _installed(language).binds:
        assert bind.source == bind.destination
        assert not Path.home().is_relative_to(bind.source)
        assert not Path(bind.source).is_relative_to("/usr")
        assert Path(bind.source).exists()


def test_python_is_the_one_that_we_run_under() -> None:
    toolchain = find_toolchain(LANGUAGES["python"])
    assert toolchain.version == f"Python {sys.version.split()[0]}"


def test_what_lies_outside_the_systems_folders_is_shown_but_nothing_beside_it(
    tmp_path: Path, install_node: Callable[..., Toolchain]
) -> None:
    home = tmp_path / "node-22"
    (home / "secrets").mkdir(parents=True)
    toolchain = install_node(home / "bin", home)
    assert [bind.source for bind in toolchain.binds] == [f"{home}/bin/node"]
    assert toolchain.path == f"{home}/bin:{SYSTEM_PATH}"
    assert toolchain.version == "Node.js v22.1.0"


def test_a_launcher_is_asked_where_the_toolchain_is(tmp_path: Path, install_node: Callable[..., Toolchain]) -> None:
    toolchain = install_node(tmp_path / "shims", tmp_path / "versions" / "22")
    assert toolchain.path.startswith(f"{tmp_path}/versions/22/bin:")
    assert not any("shims" in bind.source for bind in toolchain.binds)


def test_links_that_lead_out_of_an_installation_are_followed(
    tmp_path: Path, install_node: Callable[..., Toolchain]
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    (home / "lib").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "libnode.so.1").touch()
    (home / "lib" / "libnode.so").symlink_to(elsewhere / "libnode.so.1")
    (home / "lib" / "libnode.broken").symlink_to(elsewhere / "nothing")
    sources = {bind.source for bind in install_node(home / "bin", home).binds}
    assert str(elsewhere / "libnode.so.1") in sources
    assert str(elsewhere) not in sources


def test_of_a_package_manager_that_links_between_packages_all_are_shown(
    tmp_path: Path, install_node: Callable[..., Toolchain]
) -> None:
    toolchain = install_node(tmp_path / "bin", tmp_path / "Cellar" / "node" / "22.1.0")
    assert [bind.source for bind in toolchain.binds] == [str(tmp_path)]
    assert toolchain.path.startswith(f"{tmp_path}/Cellar/node/22.1.0/bin:")


@pytest.mark.parametrize("below", ["", ".."])
def test_a_toolchain_right_in_the_home_folder_is_refused(
    below: str, tmp_path: Path, install_node: Callable[..., Toolchain], monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "people" / "someone"
    monkeypatch.setenv("HOME", str(user))
    with pytest.raises(SandboxUnavailableError, match=r"private files.*apt-get install nodejs"):
        install_node(tmp_path / "shims", (user / below).resolve())


def test_a_toolchain_in_a_folder_of_the_home_folder_is_not(
    tmp_path: Path, install_node: Callable[..., Toolchain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    toolchain = install_node(tmp_path / ".local" / "bin", tmp_path / ".local")
    assert [bind.source for bind in toolchain.binds] == [f"{tmp_path}/.local/bin/node"]


def test_a_toolchain_learns_nothing_of_the_users_environment(
    tmp_path: Path, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "canary")
    monkeypatch.setenv("RUSTUP_HOME", "/rustup")
    install(tmp_path / "bin", "node", f"env >> {tmp_path}/seen; pwd >> {tmp_path}/seen; echo {tmp_path}")
    find_toolchain(find_language("node"), search_path=f"{tmp_path}/bin:/usr/bin:/bin")
    seen = (tmp_path / "seen").read_text(encoding="utf-8").splitlines()
    assert "SECRET_TOKEN=canary" not in seen
    assert "RUSTUP_HOME=/rustup" in seen
    assert "/" in seen  # not the folder of a project, whose files would tell a version manager what to start


def test_programs_in_the_current_folder_are_not_started(
    tmp_path: Path, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "node", f"touch {tmp_path}/started")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolchainMissingError):
        find_toolchain(find_language("node"), search_path=":.:bin")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo no default toolchain >&2; exit 1", "left with 1 and said: no default toolchain"),
        ("exit 3", "left with 3 and said nothing"),
        ("echo /nowhere", "says that it is installed in /nowhere"),
    ],
)
def test_a_broken_toolchain_is_told_in_its_own_words(
    script: str, told: str, tmp_path: Path, install: Callable[..., Path]
) -> None:
    folder = install(tmp_path, "go", script)
    with pytest.raises(SandboxUnavailableError, match=told):
        find_toolchain(find_language("go"), search_path=str(folder))


def test_a_toolchain_of_which_only_a_part_is_there_names_that_part(
    tmp_path: Path, install: Callable[..., Path]
) -> None:
    install(tmp_path, "java", "echo")
    with pytest.raises(ToolchainMissingError, match=r"java needs the program javac.*apt-get install default-jdk"):
        find_toolchain(find_language("java"), search_path=str(tmp_path))


def test_a_toolchain_that_was_missing_is_found_once_it_is_installed(
    tmp_path: Path, install_node: Callable[..., Toolchain]
) -> None:
    with pytest.raises(ToolchainMissingError):
        find_toolchain(find_language("node"), search_path=str(tmp_path / "bin"))
    assert install_node(tmp_path / "bin", tmp_path).version == "Node.js v22.1.0"
