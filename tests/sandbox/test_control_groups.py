"""Control groups: found as they are, used for one container, and gone afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits, Program, SandboxInternalError, TestCase, Verdict, control_groups
from afterburner.sandbox.control_groups import find_control_groups

if TYPE_CHECKING:
    from conftest import Runner

    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.control_groups import ControlGroups


@pytest.fixture
def groups() -> ControlGroups:
    found = find_control_groups()
    if found is None:
        pytest.skip("this user may not make control groups here")
    return found


def ours(groups: ControlGroups) -> set[Path]:
    return {folder for parent in groups.parents for folder in parent.glob(f"afterburner-*-{os.getpid()}-*")}


def test_a_group_lives_as_long_as_its_context_and_keeps_its_limits(groups: ControlGroups) -> None:
    before = ours(groups)
    with groups.make() as group:
        made = ours(groups) - before
        assert len(made) == len(groups.parents)
        for most_kib in (50_000, 90_000, 20_000):  # up and down: version 1 takes its two limits only in the right order
            group.limit(most_kib, 33)
            told = [path.read_text() for folder in made for path in folder.glob("memory.*") if _is_limit(path)]
            assert {int(text) // 1024 for text in told} == {most_kib}
        assert [path.read_text().strip() for folder in made for path in folder.glob("pids.max")] == ["33"]
        assert group.memory_kills() == 0
    assert ours(groups) == before


def _is_limit(path: Path) -> bool:
    return path.name in {"memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}


def test_groups_of_a_killed_process_are_removed_by_the_next(groups: ControlGroups) -> None:
    script = """
        import os, signal
        from afterburner.sandbox.control_groups import find_control_groups
        find_control_groups().make().__enter__()
        print(os.getpid(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    left = [folder for parent in groups.parents for folder in parent.glob(f"afterburner-*-{int(done.stdout)}-*")]
    assert len(left) == len(groups.parents)
    find_control_groups()
    assert not any(folder.exists() for folder in left)


def test_memory_that_no_resident_set_shows_is_limited(run: Runner, groups: ControlGroups) -> None:
    """What lies in the buffers of sockets belongs to the kernel, and a process may have many sockets."""
    source = """
        import socket
        kept = []
        while True:
            ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            kept.append(ends)
            ends[0].setblocking(False)
            try:
                while True: ends[0].send(bytes(60_000))
            except BlockingIOError: pass
            except OSError: break
            if len(kept) > 110: break
        print("filled")
    """
    limits = Limits(memory_kib=20_000, file_kib=1000)
    report = run(source, limits=limits)
    assert report.verdict == Verdict.MEMORY_LIMIT, report
    assert report.measurement.tier == groups.tier
    assert run("print('next')", limits=limits).stdout == b"next\n"


def test_a_program_that_printed_the_right_answer_and_was_killed_for_memory_is_not_accepted(
    sandbox: Sandbox,
    groups: ControlGroups,  # noqa: ARG001 - skips where there are none
) -> None:
    source = "print('right', flush=True)\nimport mmap\nm = mmap.mmap(-1, 1 << 30)\nm.write(bytes(1 << 30))"
    report = sandbox.run(Program("python", source), [TestCase(b"", b"right")], Limits(memory_kib=65_536))
    assert report.verdict == Verdict.MEMORY_LIMIT


def test_nothing_is_left_after_runs(sandbox: Sandbox, groups: ControlGroups) -> None:
    sandbox.run(Program("python", "import os\nos.fork()"), [TestCase()] * 2)
    assert not ours(groups)


VERSION_2_MOUNTS = "30 23 0:26 / {root} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
VERSION_1_MOUNTS = (
    "31 23 0:27 / {root}/memory rw - cgroup cgroup rw,memory\n32 23 0:28 / {root}/pids rw - cgroup c rw,pids\n"
)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in the places of a hierarchy: version 2 with its controllers is not on every machine that tests."""
    monkeypatch.setattr(control_groups, "_SELF", tmp_path / "self")
    (tmp_path / "self").mkdir()
    return tmp_path


def test_version_2_is_used_where_an_ancestor_hands_memory_and_pids_down(pretended: Path) -> None:
    root = pretended / "unified"
    own = root / "user.slice/app.scope"
    own.mkdir(parents=True)
    (pretended / "self/cgroup").write_text("0::/user.slice/app.scope\n")
    (pretended / "self/mountinfo").write_text(VERSION_2_MOUNTS.format(root=root))
    assert find_control_groups() is None
    for folder in (root, own.parent, own):
        (folder / "cgroup.procs").touch()
    (own.parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    found = find_control_groups()
    assert found is not None
    assert (found.tier, found.parents) == ("cgroup v2", (own.parent,))


def test_in_version_2_a_process_is_moved_in_and_ends_with_its_group() -> None:
    """On the real hierarchy; what needs its controllers cannot run where version 1 has them."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    root = next((Path(fields[4]) for fields in mounts if fields[fields.index("-") + 1] == "cgroup2"), None)
    if root is None or not os.access(root / "cgroup.procs", os.W_OK):
        pytest.skip("no cgroup2 hierarchy here that this user may write")
    folder = root / f"afterburner-{os.getpid()}-test-0"
    folder.mkdir()
    try:
        group = control_groups.ControlGroup("cgroup v2", (folder,))
        with subprocess.Popen(["sleep", "600"]) as process:
            group.admit(process.pid)
            assert f"/{folder.name}\n" in Path(f"/proc/{process.pid}/cgroup").read_text()
            control_groups._remove(folder)
            assert process.wait(30) == -9
        assert not folder.exists()
    finally:
        control_groups._remove(folder)


def test_version_1_needs_both_controllers(pretended: Path) -> None:
    for name in ("memory", "pids"):
        (pretended / name / "mine").mkdir(parents=True)
    (pretended / "memory/mine/cgroup.procs").touch()
    (pretended / "self/mountinfo").write_text(VERSION_1_MOUNTS.format(root=pretended))
    (pretended / "self/cgroup").write_text("4:memory:/mine\n3:cpu,pids:/mine\n0::/\n")
    assert find_control_groups() is None
    (pretended / "pids/mine/cgroup.procs").touch()
    found = find_control_groups()
    assert found is not None
    assert found.parents == (pretended / "memory/mine", pretended / "pids/mine")


def test_a_limit_that_the_kernel_refuses_is_our_failure(groups: ControlGroups) -> None:
    with groups.make() as group:
        group._folders = (Path("/proc"), Path("/proc"))
        with pytest.raises(SandboxInternalError, match="cannot be set to"):
            group.limit(1, 1)
