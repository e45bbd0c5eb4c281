"""The real program on machines that lack something: the rows of docs/install.md that can be tried anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.folders import cache_folder
from afterburner.sandbox.meter_build import meter_path

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

PROGRAM = str(Path(sys.executable).with_name("afterburner-agent"))
MOST_S = 120.0


@pytest.fixture
def home(tmp_path: Path, sandbox: Sandbox) -> Path:
    """A home folder with a program and a case; where there is a sandbox at all."""
    assert sandbox
    (tmp_path / "double.py").write_text("print(int(input()) * 2)")
    (tmp_path / "1.in").write_text("21\n")
    (tmp_path / "1.out").write_text("42\n")
    return tmp_path


def judge(home: Path, *wrapper: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`sandbox run` with this home folder, started by way of another program."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(cache_folder().parent),  # with the meter that is compiled already
    }
    return subprocess.run(
        [*wrapper, PROGRAM, "sandbox", "run", "double.py", "--stdin", "1.in", "--expect", "1.out"],
        cwd=home,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=False,
    )


def started_by(*wrapper: str) -> list[str]:
    """A program that starts another one with something changed; the test is skipped where it may not do so."""
    try:
        done = subprocess.run([*wrapper, "true"], capture_output=True, text=True, timeout=MOST_S, check=False)
    except OSError as error:
        pytest.skip(str(error))
    if done.returncode != 0:
        pytest.skip(f"{wrapper[0]} may not do this here: {done.stderr}")
    return list(wrapper)


def in_mounts(change: str) -> list[str]:
    """A shell with its own view of the files, in which something was changed."""
    return started_by("unshare", "--mount", "sh", "-c", f'{change} && exec "$@"', "sh")


def is_accepted(done: subprocess.CompletedProcess[str]) -> bool:
    return (done.returncode, done.stdout) == (0, "42\n") and done.stderr.startswith("accepted\n")


def test_with_one_core(home: Path) -> None:
    core = min(os.sched_getaffinity(0))
    done = judge(home, *started_by("taskset", "--cpu-list", str(core)))
    assert is_accepted(done), done.stdout + done.stderr


def test_as_a_user_who_may_do_nothing_special(home: Path) -> None:
    """The kernel wants one capability of root, but of nobody else, for a namespace of users."""
    as_root = ("--bounding-set=-all,+setfcap", "--inh-caps=-all") if os.geteuid() == 0 else ()
    done = judge(home, *started_by("setpriv", *as_root, "--no-new-privs"))
    assert is_accepted(done), done.stdout + done.stderr


def test_root_without_any_capability_is_told_what_is_missing(home: Path) -> None:
    done = judge(home, *started_by("setpriv", "--bounding-set=-all", "--inh-caps=-all"))
    assert done.returncode == 3, done.stdout + done.stderr
    assert "--cap-add SETFCAP" in done.stderr.splitlines()[0]


def test_without_shared_memory(home: Path) -> None:
    done = judge(home, *in_mounts("mount -t tmpfs -o ro none /dev/shm"))
    assert is_accepted(done), done.stdout + done.stderr


def test_with_a_home_folder_that_is_read_only(home: Path) -> None:
    """The meter lies in its cache already."""
    cache = home / ".cache" / "afterburner-agent"
    cache.mkdir(parents=True)
    shutil.copy(meter_path(), cache)
    read_only = in_mounts(f"mount --bind '{home}' '{home}' && mount -o remount,bind,ro '{home}'")
    done = judge(home, *read_only, XDG_CACHE_HOME=str(cache.parent))
    assert is_accepted(done), done.stdout + done.stderr


@pytest.mark.nightly
def test_a_cache_on_a_full_disk_is_named_in_one_line(home: Path) -> None:
    """The meter has to be compiled there, in a checkout."""
    (home / "cache").mkdir()
    full = in_mounts(f"mount -t tmpfs -o size=4k none '{home}/cache' && head -c 4096 /dev/zero > '{home}/cache/full'")
    done = judge(home, *full, XDG_CACHE_HOME=str(home / "cache"))
    assert done.returncode == 3, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert f"{home}/cache" in line
    assert "the disk is full" in line
    assert "gcc" not in line


def test_without_user_namespaces_it_says_which_switch_forbids_them(home: Path) -> None:
    switch = "echo 0 > /proc/sys/user/max_user_namespaces"  # of the new namespace alone
    done = judge(home, *started_by("unshare", "--user", "--map-root-user", "sh", "-c", f'{switch} && exec "$@"', "sh"))
    assert done.returncode == 3, done.stdout + done.stderr
    assert "sysctl -w user.max_user_namespaces" in done.stderr.splitlines()[0]
