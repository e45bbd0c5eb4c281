"""The meter is compiled once, by whatever compiler there is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import (
    Command,
    ContainerSpec,
    Limits,
    Program,
    SandboxInternalError,
    SandboxUnavailableError,
    TestCase,
    open_sandbox,
)
from afterburner.sandbox import meter_build as build
from afterburner.sandbox.bubblewrap import BubblewrapContainer, BubblewrapParts
from afterburner.sandbox.control_groups import find_control_groups
from afterburner.sandbox.meter_build import meter_path
from afterburner.sandbox.preflight import find_bubblewrap

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    return tmp_path / "cache" / "afterburner-agent"


@pytest.fixture
def no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)


def test_it_is_compiled_once_and_then_taken_from_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = meter_path()
    assert first.parent == cache
    assert first.name.startswith("meter-")
    assert os.access(first, os.X_OK)
    made = first.stat().st_mtime_ns
    monkeypatch.setenv("PATH", "/nowhere")
    assert meter_path() == first
    assert first.stat().st_mtime_ns == made
    assert list(cache.iterdir()) == [first], "nothing else is left in the cache"


def test_it_refuses_to_run_outside_a_sandbox(cache: Path) -> None:
    """It kills every process that it can see."""
    done = subprocess.run([meter_path(), "3"], capture_output=True, text=True, check=False)
    assert cache.exists()
    assert done.returncode == 2
    assert "process 1" in done.stderr


def test_another_source_is_compiled_anew(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = meter_path()
    for source in build._sources():
        shutil.copy(source, tmp_path)
    changed = tmp_path / "clean.c"
    changed.write_text(changed.read_text() + "\n/* another version */\n")
    monkeypatch.setattr(build, "_SOURCES", tmp_path)
    assert meter_path() != first
    assert len(list(cache.iterdir())) == 2


def test_two_at_once_do_not_disturb_each_other(cache: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        paths = {future.result() for future in [pool.submit(meter_path) for _ in range(2)]}
    assert len(paths) == 1
    assert list(cache.iterdir()) == list(paths)


def test_the_compiler_of_the_environment_comes_first(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "my cc"
    compiler.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/used"\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", f"'{compiler}' -g0")
    assert meter_path().parent == cache
    assert (tmp_path / "used").read_text().startswith("-g0 ")


def test_it_compiles_without_a_warning(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strict = f"{shutil.which('cc')} -Werror -Wshadow -Wstrict-prototypes -Wpointer-arith"
    monkeypatch.setattr(build, "_compilers", lambda: [tuple(strict.split())])
    assert meter_path().parent == cache


def test_a_compiler_that_fails_is_followed_by_the_next(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "broken"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert meter_path().parent == cache


@pytest.mark.usefixtures("cache", "no_compiler")
def test_without_a_compiler_the_message_says_what_to_install() -> None:
    with pytest.raises(SandboxUnavailableError, match="no C compiler") as raised:
        meter_path()
    assert "apt-get install gcc" in str(raised.value)
    assert "pip install ziglang" in str(raised.value)


@pytest.mark.usefixtures("cache", "no_compiler")
def test_with_only_a_broken_compiler_its_complaint_is_shown(tmp_path: Path) -> None:
    (tmp_path / "cc").write_text("#!/bin/sh\necho 'no such header' >&2; exit 1\n")
    (tmp_path / "cc").chmod(0o755)
    with pytest.raises(SandboxUnavailableError, match="no such header"):
        meter_path()


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(SandboxUnavailableError, match="XDG_CACHE_HOME"):
        meter_path()


def test_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailableError, match="riscv64"):
        meter_path()


@pytest.mark.nightly  # it compiles a C library first
@pytest.mark.slow
def test_the_wheel_with_a_compiler_is_enough(
    sandbox: Sandbox, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ziglang` builds against another C library; what it builds has to work as well."""
    assert sandbox
    bwrap = shutil.which("bwrap")
    assert bwrap
    (tmp_path / "bwrap").symlink_to(bwrap)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    done = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, check=False)
    assert done.returncode == 0, "the `dev` extra brings ziglang"
    with open_sandbox() as other:
        cases = [TestCase(b"1", b"2"), TestCase(b"5", b"10")]
        report = other.run(Program("python", "print(int(input()) * 2)"), cases, Limits())
    assert report.verdict == "accepted", report
    assert len(list(cache.iterdir())) == 1


_RUNS = {
    "output": ("yes | head -c 30000000; yes | head -c 1000 >&2", Limits(output_bytes=64 << 20)),
    "flood": ("yes", Limits(output_bytes=9_000_000)),
    "input": ("cat", Limits()),
    "unread": ("true", Limits()),
    "children": ("for i in 1 2 3 4 5 6 7 8; do (sleep 60 &) ; done; kill -9 -1", Limits()),
    "files": ("mkdir -p /tmp/a/b/c && touch /tmp/a/x /dev/shm/y && chmod 000 /tmp/a/b", Limits()),
    "time": ("while :; do :; done", Limits(wall_time_s=0.2)),
    "many": ("for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; wait", Limits(processes=5, wall_time_s=5)),
}


@pytest.mark.nightly
@pytest.mark.slow
def test_it_runs_clean_under_the_address_and_undefined_behaviour_sanitizers(sandbox: Sandbox, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("the sanitizers come with gcc, which is not here")
    options = (
        tmp_path / "options.c"
    )  # the environment of a container is empty, and process 1 cannot be traced for leaks
    options.write_text('const char *__asan_default_options(void) { return "detect_leaks=0:halt_on_error=1"; }\n')
    meter = tmp_path / "meter"
    sanitize = [
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-static-libasan",
        "-static-libubsan",
    ]
    sources = [source for source in build._sources() if source.suffix == ".c"]
    subprocess.run(["gcc", *build._FLAGS, "-Werror", *sanitize, "-o", meter, *sources, options], check=True)
    groups = find_control_groups()
    found: dict[str, str | None] = {}
    backend = BubblewrapContainer(ContainerSpec(), BubblewrapParts(find_bubblewrap().path, meter, tmp_path, groups))
    with backend as container:
        for name, (script, limits) in _RUNS.items():
            result = container.run(Command(("sh", "-c", script), {"PATH": "/bin:/usr/bin"}), b"x" * (8 << 20), limits)
            found[name] = result.limit
            assert container.usable, (name, container.told())
        missing = Command(("no-such-program",), {"PATH": "/bin::/usr/bin"})
        with pytest.raises(SandboxInternalError, match="cannot be started"):
            container.run(missing, b"", Limits())
    assert found == {
        **dict.fromkeys(("output", "input", "unread", "children", "files")),
        "flood": "output",
        "time": "wall",
        "many": "processes",
    }
    assert sandbox.backend.tier == ("rlimits" if groups is None else groups.tier)
