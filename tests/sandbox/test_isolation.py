"""What a program in the sandbox can see and reach."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits, Program, TestCase, Verdict

if TYPE_CHECKING:
    from conftest import Runner

    from afterburner.sandbox import Sandbox


def test_nothing_of_the_hosts_environment_enters(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret-7c1f")
    seen = json.loads(run.printed("import json, os; print(json.dumps(dict(os.environ)))"))
    assert "secret-7c1f" not in seen.values()
    assert set(seen) - {name for name in seen if name.endswith("_NUM_THREADS")} == {
        *("PATH", "HOME", "LANG", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE"),
    }
    assert (seen["HOME"], seen["PYTHONHASHSEED"], seen["OMP_NUM_THREADS"]) == ("/tmp", "0", "1")  # noqa: S108 - the sandbox's


def test_the_hash_seed_is_fixed(run: Runner) -> None:
    assert run.printed("print(hash('word'))") == run.printed("print(hash('word'))")


def test_no_host_files_are_there(run: Runner, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    paths = ["/etc/shadow", "/etc/hostname", "/root/.bashrc", "/home", "/var", "/run", "/sys", "/boot", str(secret)]
    paths += [str(Path.home() / ".ssh"), str(Path.home() / ".cache"), str(Path(__file__))]
    assert run.printed(f"import os; print([path for path in {paths!r} if os.path.exists(path)])") == "[]"


def test_etc_holds_nothing_but_what_the_linker_and_the_clock_read(run: Runner) -> None:
    allowed = {"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "passwd", "group", "hosts"}
    assert set(run.printed("import os; print(*os.listdir('/etc'))").split()) <= allowed
    assert run.printed("print(open('/etc/passwd').read())").splitlines() == [
        "nobody:x:65534:65534:nobody:/tmp:/bin/false"
    ]


def test_only_tmp_and_shared_memory_can_be_written(run: Runner) -> None:
    source = """
        import os
        writable = []
        for folder, folders, _ in os.walk("/"):
            if folder.startswith(("/proc", "/sys")): folders.clear(); continue
            try:
                with open(folder + "/probe", "w"): writable.append(folder)
            except OSError: pass
        print(*sorted(writable))
    """
    patient = Limits(wall_time_s=120.0, cpu_time_s=120.0)  # it goes through all of Python's files
    assert run.printed(source, limits=patient) == "/dev/shm /tmp"  # noqa: S108 - the sandbox's


def test_kernel_settings_cannot_be_written(run: Runner) -> None:
    source = """
        import os
        paths = [os.path.join(folder, name) for folder, _, names in os.walk("/proc/sys") for name in names]
        paths += ["/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/self/clear_refs"]
        written = []
        for path in paths:
            try: os.close(os.open(path, os.O_WRONLY)); written.append(path)
            except OSError: pass
        print(len(paths) > 10, written)
    """
    assert run.printed(source) == "True []"


def test_no_network_not_even_the_hosts_loopback(run: Runner) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = f"""
            import socket
            for address in [("127.0.0.1", {port}), ("1.1.1.1", 53), ("8.8.8.8", 443)]:
                try: socket.create_connection(address, 2); print("reached", address)
                except OSError as error: print(type(error).__name__)
        """
        assert "reached" not in run.printed(source)


def test_abstract_sockets_of_the_host_are_out_of_reach(run: Runner) -> None:
    name = f"afterburner-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        source = f"""
            import socket
            try: socket.socket(socket.AF_UNIX).connect("\\0{name}"); print("reached")
            except ConnectionRefusedError: print("refused")
        """
        assert run.printed(source) == "refused"


def test_families_of_sockets_that_reach_further_are_refused(run: Runner) -> None:
    source = """
        import socket
        for family in (socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET):
            try: socket.socket(family, socket.SOCK_DGRAM if family != socket.AF_ALG else socket.SOCK_SEQPACKET)
            except OSError as error: print(error.errno, end=" ")
        print(socket.socket(socket.AF_INET).fileno() > 2)
    """
    assert run.printed(source) == "97 97 97 True"


def test_only_the_meter_and_itself_are_visible(run: Runner) -> None:
    seen = run.printed("import os; print(os.getpid(), [int(name) for name in os.listdir('/proc') if name.isdigit()])")
    own = int(seen.split()[0])
    assert own != 1
    assert seen == f"{own} [1, {own}]"


def test_only_three_descriptors_are_open_and_none_is_inherited(run: Runner) -> None:
    source = """
        import fcntl, os
        links = {int(name): os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
                 if os.path.lexists(f"/proc/self/fd/{name}")}
        print(sorted(links), all(link.startswith("pipe:") for link in links.values()))
    """
    assert run.printed(source) == "[0, 1, 2] True"


def test_signals_that_the_host_process_ignores_have_their_default_in_the_sandbox(tmp_path: Path) -> None:
    # Even 32, which the C library lets nobody set; some supervisors leave it ignored.
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import ctypes, platform, signal, struct
        from afterburner.sandbox import Program, TestCase, open_sandbox
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        number = {"x86_64": 13, "aarch64": 134}[platform.machine()]
        ignored = struct.pack("<4Q", 1, 0, 0, 0)
        assert ctypes.CDLL(None, use_errno=True).syscall(number, 32, ignored, None, ctypes.c_ulong(8)) == 0
        assert "SigIgn:\t0000000081" in open("/proc/self/status").read()
        source = "print([line for line in open('/proc/self/status') if line.startswith('SigIgn')])"
        with open_sandbox() as sandbox:
            print(sandbox.run(Program("python", source), [TestCase()]).cases[0].stdout.decode())
        """)
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert "SigIgn:\\t0000000001001000" in done.stdout, done.stderr


def test_identity_is_nobodys_and_without_capabilities(run: Runner) -> None:
    source = """
        import os, socket
        status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
        print(os.getuid(), os.getgid(), socket.gethostname(), status["CapEff"], status["CapBnd"], status["NoNewPrivs"],
              status["Seccomp"], os.getsid(0) == os.getpid(), status["SigIgn"], status["SigBlk"])
    """
    none = "0" * 16
    # Python itself ignores SIGPIPE and SIGXFSZ.
    assert run.printed(source) == f"65534 65534 sandbox {none} {none} 1 2 True 0000000001001000 {none}"


@pytest.mark.parametrize(
    "call",
    [
        "libc.unshare(0x10000000)",
        "libc.unshare(0x00020000)",
        "libc.ptrace(0, 0, 0, 0)",
        "libc.shmget(0, 4096, 0o1600)",
        "libc.msgget(0, 0o1600)",
        "libc.semget(0, 1, 0o1600)",
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "libc.memfd_create(b'hidden', 0)",
        "libc.sched_setaffinity(0, 8, ctypes.byref(ctypes.c_long(-1)))",
        "libc.process_vm_readv(1, None, 0, None, 0, 0)",
        "libc.setpriority(0, 1, 19)",
        "libc.prlimit(1, 7, None, None)",
        "libc.chroot(b'/tmp')",
        "libc.syscall(56 if x86 else 220, 0x10000011, 0, 0, 0, 0)",
        "libc.syscall(250 if x86 else 219, 0, 0)",
        "libc.syscall(425, 1, None)",
        "libc.syscall(321 if x86 else 280, 0, 0, 0)",
        "libc.syscall(298 if x86 else 241, 0, 0, 0)",
        "libc.syscall(323 if x86 else 282, 0)",
    ],
)
def test_dangerous_system_calls_are_refused(run: Runner, call: str) -> None:
    source = f"""
        import ctypes, platform
        libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"
        print({call}, ctypes.get_errno())
    """
    assert run.printed(source) == "-1 1"


def test_ordinary_programs_may_use_threads_children_and_shared_memory(run: Runner) -> None:
    source = """
        import concurrent.futures, multiprocessing, os, resource, subprocess, sys, tempfile, threading, asyncio
        from multiprocessing import shared_memory

        def square(x): return x * x

        if __name__ == "__main__":
            with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(square, range(10))))
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(2) as pool: print(sum(pool.map(square, range(10))))
            print(subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True).stdout.strip())
            print(subprocess.run("echo $((1+1)) | cat", shell=True, capture_output=True, text=True).stdout.strip())
            block = shared_memory.SharedMemory(create=True, size=100); block.close(); block.unlink()
            with tempfile.TemporaryDirectory() as folder: open(folder + "/x", "w").close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50)); os.nice(1)
            print(asyncio.run(asyncio.sleep(0, "slept")))
    """
    assert run.printed(source).split() == ["285", "285", "285", "7", "2", "slept"]


def test_the_program_cannot_change_its_own_source(run: Runner) -> None:
    report = run("import sys; open(sys.argv[0], 'a')")
    assert "Read-only file system" in report.detail


def test_several_threads_may_run_programs_at_once(sandbox: Sandbox) -> None:
    results: dict[int, str] = {}

    def work(number: int) -> None:
        program = Program("python", f"import time; time.sleep(0.05); print({number}, input())")
        case = TestCase(b"%d" % number, b"%d %d" % (number, number))
        results[number] = sandbox.run(program, [case, case], Limits(wall_time_s=60)).verdict

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(6), Verdict.ACCEPTED)
