"""The Docker backend with a real daemon: verdicts, and what a program sees and reaches."""

from __future__ import annotations

import json
import os
import socket
import textwrap
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import docker
import pytest

from afterburner.sandbox import Command, ContainerSpec, Limits, Program, Sandbox, TestCase, UsageError, Verdict
from afterburner.sandbox.docker_backend import DockerBackend
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Runner

    from afterburner.sandbox import PythonEnvironment, RawResult
    from afterburner.sandbox.docker_settings import DockerOptions

SUM = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }"
SHORT = Limits(wall_time_s=1.0, cpu_time_s=5.0)


def python(sandbox: Sandbox, source: str, spec: ContainerSpec, stdin: bytes = b"", **limits: float) -> RawResult:
    """What becomes of a Python text under an image's interpreter."""
    command = Command(("/usr/bin/python3", "-I", "-c", textwrap.dedent(source)))
    return sandbox.run_raw(spec, command, stdin, replace(Limits(), **limits))


def test_python_and_cpp_programs_are_judged(docker_sandbox: Sandbox) -> None:
    cases = [TestCase(b"1 2", b"3"), TestCase(b"4 5", b"9"), TestCase(b"4 5", b"10")]
    for program in (Program("python", "print(sum(map(int, input().split())))"), Program("cpp", SUM)):
        report = docker_sandbox.run(program, cases)
        assert [case.verdict for case in report.cases] == ["accepted", "accepted", "wrong_answer"], report
        assert report.backend.startswith("Docker ")
        assert 0 < report.measurement.cpu_time_s < 10
        assert report.measurement.peak_memory_kib > 500


def test_a_compile_error_has_the_compilers_words(docker_sandbox: Sandbox) -> None:
    report = docker_sandbox.run(Program("cpp", "int main() { return missing; }"), [TestCase()])
    assert report.verdict == Verdict.COMPILE_ERROR
    assert report.compilation is not None
    assert "was not declared in this scope" in report.compilation.message


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("raise SystemExit(3)", "runtime_error"),
        ("import os; os.abort()", "runtime_error"),
        ("x = bytearray(400 << 20); x[::4096] = b'1' * len(x[::4096])", "memory_limit"),
        ("open('/tmp/x', 'wb').write(b'x' * (60 << 20)); x = bytearray(200 << 20)", "accepted"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "output_limit"),
    ],
)
def test_limits_hold(docker_run: Runner, source: str, verdict: str) -> None:
    report = docker_run(source, limits=Limits(memory_kib=262_144))
    assert report.verdict == verdict, report


@pytest.mark.parametrize("source", ["while True: pass", "import time; time.sleep(60)"])
def test_time_is_limited(docker_run: Runner, source: str) -> None:
    assert docker_run(source, limits=SHORT).verdict == Verdict.TIME_LIMIT


def test_a_fork_bomb_ends(docker_run: Runner) -> None:
    report = docker_run("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", limits=SHORT)
    assert report.verdict in {Verdict.RUNTIME_ERROR, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}


def test_a_kill_by_the_memory_controller_is_told_as_such(docker_sandbox: Sandbox, docker_image: str) -> None:
    # The container may have less than this run: the kernel is there before the meter.
    source = "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(0, 1 << 30, 4096): m[i] = 1"
    result = python(docker_sandbox, source, ContainerSpec(image=docker_image, memory_kib=65_536), memory_kib=8_388_608)
    assert (result.limit, result.signal) == ("memory", 9)
    assert result.measurement.tier in {"cgroup v1", "cgroup v2"}


def test_bytes_of_every_kind_pass_in_both_directions(docker_run: Runner) -> None:
    source = "import sys\nwhile data := sys.stdin.buffer.read(1000): sys.stdout.buffer.write(data)"
    data = bytes(range(256)) * (1 << 12) + b"\x10\x11" * 1000  # the keys that detach a terminal among them
    report = docker_run(source, stdin=data)
    assert report.stdout == data, (report.verdict, len(report.stdout))


def test_nothing_is_left_for_the_next_case(docker_sandbox: Sandbox) -> None:
    source = """
import os, sys
found = [name for folder in ("/tmp", "/dev/shm") for name in os.listdir(folder)]
found += [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
print(found)
for folder in ("/tmp", "/dev/shm"): open(folder + "/left", "w").close()
if os.fork() == 0:
    os.setsid()
    import time; time.sleep(60)
"""
    report = docker_sandbox.run(Program("python", source), [TestCase(b"", b"[]")] * 3)
    assert [case.verdict for case in report.cases] == ["accepted"] * 3, report


# What a program sees.


def test_nothing_of_the_host_is_visible(docker_run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-7c1f")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    source = f"""
        import json, os, socket
        print(json.dumps([
            "secret-7c1f" in os.environ.values(), os.path.exists({str(secret)!r}), os.path.exists({__file__!r}),
            os.path.exists("/var/run/docker.sock"), socket.gethostname(), open("/etc/resolv.conf").read(),
            [path for path in ("/sys/class", "/sys/devices", "/sys/kernel", "/dev/mqueue") if os.listdir(path)],
            [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())],
            sorted(os.listdir("/proc/self/fd"))[:-1],
        ]))
    """
    assert json.loads(docker_run.printed(source)) == [
        *(False, False, False, False, "sandbox", "", [], [], ["0", "1", "2"]),
    ]


def test_only_tmp_and_shared_memory_can_be_written(docker_run: Runner) -> None:
    source = """
        import os
        writable = []
        for folder, folders, names in os.walk("/"):
            if folder.startswith("/proc/") and folder.split("/")[2].isdigit(): folders.clear(); continue
            try:
                with open(folder + "/probe", "w"): writable.append(folder)
            except OSError: pass
        print(*sorted(writable))
    """
    assert docker_run.printed(source) == "/dev/shm /tmp"  # noqa: S108 - the sandbox's


def test_kernel_settings_cannot_be_written(docker_run: Runner) -> None:
    source = """
        import os
        paths = [os.path.join(folder, name) for top in ("/proc/sys", "/sys") for folder, _, names in os.walk(top)
                 for name in names]
        paths += ["/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/self/oom_score_adj", "/proc/self/clear_refs"]
        written = []
        for path in paths:
            try: os.close(os.open(path, os.O_WRONLY)); written.append(path)
            except OSError: pass
        print(len(paths) > 10, written)
    """
    assert docker_run.printed(source) == "True []"


def test_no_network_not_even_the_hosts_loopback(docker_run: Runner) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = f"""
            import socket
            for address in [("127.0.0.1", {server.getsockname()[1]}), ("1.1.1.1", 53)]:
                try: socket.create_connection(address, 2); print("reached", address)
                except OSError as error: print(type(error).__name__)
        """
        assert "reached" not in docker_run.printed(source)


def test_identity_is_nobodys_and_without_capabilities(docker_run: Runner) -> None:
    source = """
        import os
        status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
        print(os.getuid(), os.getgid(), os.getgroups(), status["CapEff"], status["CapBnd"], status["NoNewPrivs"],
              status["Seccomp"], status["SigBlk"])
    """
    none = "0" * 16
    assert docker_run.printed(source) == f"65534 65534 [65534] {none} {none} 1 2 {none}"


def test_the_meter_cannot_be_hurt(docker_run: Runner) -> None:
    source = """
        import os, signal
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD):
            try: os.kill(1, number)
            except PermissionError: pass
        for name in ("mem", "environ", "fd", "fd/1", "maps"):
            try: print(name, os.listdir("/proc/1/fd") if name == "fd" else open("/proc/1/" + name, "rb").read(1))
            except PermissionError: pass
        print("done")
    """
    assert docker_run.printed(source) == "done"


def test_what_an_image_wants_to_write_outside_of_it_cannot_be_written(
    open_docker: Callable[..., Sandbox], docker_options: DockerOptions, docker_image: str
) -> None:
    name = f"afterburner-test-volume:{os.getpid()}"
    with closing(docker.APIClient(docker_options.address)) as client:
        base = client.create_container(docker_image, "true")["Id"]
        client.commit(base, *name.split(":"), conf={"Volumes": {"/data": {}}, "Healthcheck": {"Test": ["CMD", "true"]}})
        client.remove_container(base)
        try:
            sandbox = open_docker(pool_size=0)
            result = python(
                sandbox, "import os; print(os.listdir('/data')); open('/data/x', 'w')", ContainerSpec(image=name)
            )
            assert (result.stdout, b"Read-only file system" in result.stderr) == (b"[]\n", True)
        finally:
            client.remove_image(name, force=True)


# A project's own interpreter.


def test_a_program_may_bring_its_own_interpreter_if_the_daemon_is_here(
    docker_sandbox: Sandbox, python: PythonEnvironment, tmp_path: Path
) -> None:
    (tmp_path / "helper.py").write_text("value = 41")
    environment = replace(python, binds=(*python.binds, Bind(str(tmp_path), "/project")), import_paths=("/project",))
    source = "import sys, helper; print(helper.value + 1, sys.executable, __file__)"
    program = Program("python", source, environment=environment, path="/project/main.py")
    (tmp_path / "main.py").touch()
    tmp_path.chmod(0o755)
    report = docker_sandbox.run(program, [TestCase(), TestCase()])
    assert report.verdict == "accepted", report.cases[0].stderr
    assert report.cases[1].stdout.decode().split() == ["42", python.executable, "/project/main.py"]


def test_what_others_may_not_read_is_refused(
    docker_sandbox: Sandbox, python: PythonEnvironment, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    environment = replace(python, binds=(*python.binds, Bind(str(tmp_path), "/project")))
    with pytest.raises(UsageError, match=rf"chmod o\+rx {tmp_path}"):
        docker_sandbox.run(Program("python", "print()", environment=environment), [TestCase()])


def test_a_daemon_elsewhere_refuses_a_projects_interpreter(
    open_docker: Callable[..., Sandbox], python: PythonEnvironment
) -> None:
    sandbox = open_docker()
    assert isinstance(sandbox.backend, DockerBackend)
    sandbox.backend._engine = replace(sandbox.backend._engine, is_here=False)
    with pytest.raises(UsageError, match=r"own interpreter.*bubblewrap"):
        sandbox.run(Program("python", "print()", environment=python), [TestCase()])
