"""Without a real sandbox the program refuses, and says what to install or switch on."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import SandboxUnavailableError, UsageError, open_sandbox
from afterburner.sandbox import preflight as preflight_module
from afterburner.sandbox.preflight import find_bubblewrap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox import Sandbox

WORKING = 'case "$1" in --version) echo "bubblewrap 0.9.0";; *) exit 0;; esac'
FORBIDDEN = """case "$1" in
--version) echo "bubblewrap 0.9.0";;
*) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1;;
esac"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts scripts on a PATH that holds nothing else."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(**scripts: str) -> None:
        for name, body in scripts.items():
            script = tmp_path / name.replace("_", "-")
            script.write_text(f"#!/bin/sh\n{body}\n")
            script.chmod(0o755)

    return put


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A kernel with other switches: those of this machine cannot be changed from here."""
    settings = tmp_path / "sys"
    monkeypatch.setattr(preflight_module, "_KERNEL_SETTINGS", settings)
    monkeypatch.setattr(preflight_module, "_CONTAINER_MARKS", (tmp_path / "mark",))

    def put(mark: str | None = None, **values: str) -> None:
        for name, value in values.items():
            file = settings / name.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(value + "\n")
        if mark is not None:
            (tmp_path / "mark").write_text(mark)

    return put


def refusal() -> str:
    with pytest.raises(SandboxUnavailableError) as raised, open_sandbox("bubblewrap"):
        pass
    assert raised.value.exit_code == 3
    return str(raised.value)


def test_this_machines_bubblewrap_is_found(sandbox: Sandbox) -> None:
    found = find_bubblewrap()
    assert found.path.endswith("bwrap")
    assert sandbox.describe() == (f"bubblewrap {found.version}", sandbox.backend.tier)


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt_get", "apt-get install bubblewrap"),
        ("dnf", "dnf install bubblewrap"),
        ("pacman", "pacman -S bubblewrap"),
        ("apk", "apk add bubblewrap"),
    ],
)
def test_a_missing_bubblewrap_is_named_with_this_systems_command(
    programs: Callable[..., None], manager: str, command: str
) -> None:
    programs(**{manager: "exit 0"})
    assert f"`{command}`" in refusal()


def test_without_a_known_package_manager_all_commands_are_named(programs: Callable[..., None]) -> None:
    programs()
    message = refusal()
    assert all(name in message for name in ("apt-get", "dnf", "pacman", "apk"))


def test_an_old_bubblewrap_is_refused(programs: Callable[..., None]) -> None:
    programs(bwrap='case "$1" in --version) echo "bubblewrap 0.6.1";; --help) echo "--unshare-user";; esac')
    message = refusal()
    assert "0.6.1" in message
    assert "0.8" in message


def test_an_old_number_with_the_option_is_taken(programs: Callable[..., None]) -> None:
    programs(bwrap='case "$1" in --version) echo "bubblewrap 0.7.9";; --help) echo "  --disable-userns  x";; esac')
    assert find_bubblewrap().version == "0.7.9"


def test_a_mount_that_goes_away_during_the_probe_is_no_reason_to_refuse(
    programs: Callable[..., None], tmp_path: Path
) -> None:
    gone = f"""case "$1" in
--version) echo "bubblewrap 0.11.0";;
*) test -e {tmp_path}/tried || {{ : > {tmp_path}/tried
   echo "bwrap: Unable to apply mount flags: remount \\"/x\\": Invalid argument" >&2; exit 1; }};;
esac"""
    programs(bwrap=gone)
    assert find_bubblewrap().version == "0.11.0"
    assert (tmp_path / "tried").exists()
    programs(bwrap=gone.replace("test -e", "false -e"))
    assert "Unable to apply mount flags" in refusal(), "one that stays is told"


@pytest.mark.parametrize("body", ["exit 1", "echo hello", "kill -9 $$", "echo 'bwrap: boom' >&2; exit 3"])
def test_something_else_called_bwrap_is_refused(programs: Callable[..., None], body: str) -> None:
    programs(bwrap=body)
    assert "does not report its version" in refusal()


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"kernel__apparmor_restrict_unprivileged_userns": "1"}, "kernel.apparmor_restrict_unprivileged_userns=0"),
        ({"kernel__apparmor_restrict_unprivileged_userns": "1"}, "bwrap-userns-restrict"),
        ({"kernel__unprivileged_userns_clone": "0"}, "kernel.unprivileged_userns_clone=1"),
        ({"user__max_user_namespaces": "0"}, "user.max_user_namespaces="),
        ({"mark": ""}, "--security-opt seccomp=unconfined"),
        ({"user__max_user_namespaces": "15000"}, "unshare --user"),
    ],
)
def test_forbidden_namespaces_are_explained_by_the_switch_that_forbids_them(
    programs: Callable[..., None], kernel: Callable[..., None], settings: dict[str, str], advice: str
) -> None:
    programs(bwrap=FORBIDDEN)
    kernel(**settings)
    message = refusal()
    assert advice in message
    assert "setting up uid map: Permission denied" in message


def test_a_switch_that_forbids_nothing_is_not_complained_about(
    programs: Callable[..., None], kernel: Callable[..., None]
) -> None:
    programs(bwrap=WORKING)
    kernel(kernel__apparmor_restrict_unprivileged_userns="1")
    assert find_bubblewrap().version == "0.9.0"


@pytest.mark.parametrize(
    ("system", "release", "advice"),
    [
        ("darwin", "24.1.0", "Linux virtual machine"),
        ("win32", "11", "WSL 2"),
        ("linux", "4.4.0-19041-Microsoft", "wsl --set-version"),
    ],
)
def test_other_systems_are_told_where_to_go(
    monkeypatch: pytest.MonkeyPatch, system: str, release: str, advice: str
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.release", lambda: release)
    with pytest.raises(SandboxUnavailableError, match=advice):
        find_bubblewrap()


def test_wsl_2_is_linux(monkeypatch: pytest.MonkeyPatch, programs: Callable[..., None]) -> None:
    programs(bwrap=WORKING)
    monkeypatch.setattr("platform.release", lambda: "5.15.90.1-microsoft-standard-WSL2")
    assert find_bubblewrap().version == "0.9.0"


def test_importing_starts_nothing(tmp_path: Path) -> None:
    """Not even a search for bubblewrap: the import must work anywhere."""
    source = "import afterburner.sandbox, os; print(os.listdir(os.environ['XDG_CACHE_HOME']))"
    environment = os.environ | {"PATH": "", "XDG_CACHE_HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", source], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_without_bubblewrap_docker_is_tried_and_both_are_explained(
    programs: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    programs(apt_get="exit 0")
    with pytest.raises(SandboxUnavailableError) as raised, open_sandbox():
        pass
    assert "apt-get install bubblewrap" in str(raised.value)
    assert f"No Docker daemon answers at unix://{tmp_path}/nobody.sock" in str(raised.value)


def test_a_backend_that_nobody_knows_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no sandbox backend 'podman'"):
        open_sandbox("podman")
