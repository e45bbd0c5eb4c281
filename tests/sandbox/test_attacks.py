"""Programs that fight the meter, outlive their process, or leave something for the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits, Program, Sandbox, TestCase, Verdict

if TYPE_CHECKING:
    from conftest import Runner

SHORT = Limits(wall_time_s=1.0, cpu_time_s=5.0)


def test_a_fork_bomb_ends(run: Runner) -> None:
    report = run("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", limits=SHORT)
    assert report.verdict in {Verdict.RUNTIME_ERROR, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}
    assert report.signal == 9


def test_a_daemon_ends_with_its_run_and_cannot_write_later(sandbox: Sandbox) -> None:
    source = """
import os, sys, time
if os.path.exists("/tmp/late") or len([name for name in os.listdir("/proc") if name.isdigit()]) > 2:
    print("left over")
elif os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: open("/tmp/late", "w").close(); time.sleep(0.001)
    os._exit(0)
else:
    time.sleep(0.05); print("fresh")
"""
    report = sandbox.run(Program("python", source), [TestCase(b"", b"fresh")] * 3)
    assert [case.verdict for case in report.cases] == ["accepted"] * 3
    assert report.cases[0].measurement.wall_time_s < 5


def test_output_of_a_child_that_outlives_its_parent_is_kept_up_to_the_end(run: Runner) -> None:
    source = "import os, time\nif os.fork() == 0: print('child', flush=True); time.sleep(60)\nelse: time.sleep(0.1)"
    assert run(source).stdout == b"child\n"


def test_stdin_that_nobody_reads_does_not_block(run: Runner) -> None:
    report = run("print('done')", stdin=b"x" * (8 << 20), expected=b"done")
    assert report.verdict == Verdict.ACCEPTED
    assert report.measurement.peak_memory_kib < 60_000, "the meter's buffers are not the program's memory"


def test_long_stdin_arrives_whole_while_output_flows_back(run: Runner) -> None:
    source = "import sys\nwhile data := sys.stdin.buffer.read(1000): sys.stdout.buffer.write(data)"
    data = bytes(range(256)) * (1 << 12)
    assert run(source, stdin=data).stdout == data


def test_closing_everything_does_not_hide_the_program(run: Runner) -> None:
    report = run("import os, time\nfor fd in range(3): os.close(fd)\ntime.sleep(60)", limits=SHORT)
    assert report.verdict == Verdict.TIME_LIMIT


@pytest.mark.parametrize(
    "attack",
    [
        "os.kill(1, signal.SIGSTOP)",
        "os.kill(1, signal.SIGKILL)",
        "[os.kill(1, number) for number in range(1, 65) if number not in (32, 33)]",
        "os.kill(os.getppid(), signal.SIGTERM)",
        "os.killpg(0, signal.SIGCONT)",
    ],
)
def test_signals_do_not_reach_the_meter(run: Runner, attack: str) -> None:
    report = run(f"import os, signal\n{attack}\nprint('right')", expected=b"right")
    assert report.verdict == Verdict.ACCEPTED, report


def test_killing_everything_kills_only_the_payload(run: Runner) -> None:
    source = """
        import os, signal, time
        if os.fork() == 0: time.sleep(60)
        os.kill(-1, signal.SIGKILL)
        print("all but me", flush=True)
    """
    assert run(source).verdict == Verdict.ACCEPTED  # kill(-1) spares the caller, and cannot hit process 1


def test_the_meter_cannot_be_read_written_or_traced(run: Runner) -> None:
    source = """
        import os
        for name in ("fd/0", "fd/3", "fd/4", "mem", "maps", "environ", "cwd", "root", "exe", "ns/user"):
            path = f"/proc/1/{name}"
            for way in (os.listdir, os.readlink, lambda path: open(path, "rb").read(1), lambda path: open(path, "wb")):
                try: print(name, way(path))
                except OSError: pass
        for number in range(20):
            try: open(f"/proc/1/fd/{number}", "wb").write(b"forged"); print("forged", number)
            except OSError: pass
    """
    assert run.printed(source) == ""


def test_a_forged_report_on_every_descriptor_is_just_output(run: Runner) -> None:
    source = """
        import os
        for fd in range(1, 64):
            try: os.write(fd, b"AFTREST1" + bytes(96))
            except OSError: pass
        os._exit(3)
    """
    report = run(source, expected=b"")
    assert (report.verdict, report.exit_code) == (Verdict.RUNTIME_ERROR, 3)


def test_starving_the_meter_by_priority_fails(run: Runner) -> None:
    source = """
        import os
        for call in (lambda: os.setpriority(os.PRIO_PROCESS, 1, 19), lambda: os.setpriority(os.PRIO_USER, 0, 19),
                     lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
                     lambda: os.sched_setaffinity(1, {0})):
            try: call(); print("changed")
            except PermissionError: pass
    """
    assert run.printed(source) == ""


def test_nothing_is_left_in_writable_folders_between_cases(sandbox: Sandbox) -> None:
    source = """
import os
found = [os.path.join(f, n) for d in ("/tmp", "/dev/shm") for f, fs, ns in os.walk(d) for n in fs + ns]
found += [name for d in ("/tmp", "/dev/shm") for name in os.listxattr(d)]
found += [f"{d} {os.stat(d).st_mode:o}" for d in ("/tmp", "/dev/shm") if os.stat(d).st_mode & 0o7777 != 0o1777]
found += [f"{d} of 1970+" for d in ("/tmp", "/dev/shm") if os.environ.get("SECOND") and os.stat(d).st_mtime]
print("found", found) if found else print("clean")
for d in ("/dev/shm", "/tmp"):
    os.chdir(d)
    os.makedirs("locked/deep"); open("locked/deep/file", "w").write("secret"); os.mkfifo("fifo")
    os.symlink("/", "link"); os.link("locked/deep/file", ".hidden")
    try: os.setxattr(d, "user.secret", b"1")
    except OSError: pass
    os.chmod("locked/deep", 0); os.chmod("locked", 0); os.chmod(d, 0)
"""
    report = sandbox.run(Program("python", source), [TestCase(b"", b"clean")] * 3)
    assert [case.detail for case in report.cases] == [""] * 3


def test_what_cannot_be_cleaned_is_left_behind_with_its_container(sandbox: Sandbox) -> None:
    source = """
import os
print(os.listdir("/tmp"))
for _ in range(2000): os.mkdir("d"); os.chdir("d")
"""
    report = sandbox.run(Program("python", source), [TestCase(b"", b"[]")] * 2)
    assert [case.detail for case in report.cases] == ["", ""]


def test_clearing_the_kernels_mark_does_not_hide_memory(run: Runner) -> None:
    source = """
        import time
        kept = bytearray(b"x" * (80 << 20)); time.sleep(0.05); del kept
        try: open("/proc/self/clear_refs", "w").write("5")
        except OSError: pass
    """
    assert run(source, limits=Limits(memory_kib=60 << 10)).verdict == Verdict.MEMORY_LIMIT


def test_control_characters_and_floods_on_stderr_are_scrubbed(run: Runner) -> None:
    report = run("import sys; sys.stderr.write('\\x1b[31mred\\x07\\u202e' + 'y' * 200_000); sys.exit(1)")
    assert "\x1b" not in report.stderr + report.detail
    assert "\u202e" not in report.stderr
    assert len(report.stderr) < 70_000
    assert len(report.detail) < 300
