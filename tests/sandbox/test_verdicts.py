"""Every verdict, from a program that earns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits, Program, TestCase, UsageError, Verdict, open_sandbox
from afterburner.sandbox.types import VERDICT_PRIORITY

if TYPE_CHECKING:
    from conftest import Runner

    from afterburner.sandbox import Sandbox


def test_right_output_is_accepted_whatever_the_whitespace_at_its_ends(run: Runner) -> None:
    report = run("print(int(input()) * 2, ' ')", stdin=b"21\n", expected=b"42\n\n")
    assert (report.verdict, report.exit_code, report.signal, report.detail) == (Verdict.ACCEPTED, 0, None, "")
    assert report.stdout == b"42  \n"
    assert report.measurement.cpu_time_s > 0
    assert report.measurement.tier == run.sandbox.describe()[1]


def test_other_output_is_wrong_and_the_first_difference_is_named(run: Runner) -> None:
    report = run("print('one'); print('zwei')", expected=b"one\ntwo\n")
    assert report.verdict == Verdict.WRONG_ANSWER
    assert report.detail == "line 2: expected 'two', got 'zwei'"


@pytest.mark.parametrize("source", ["", "print('one')", "import os; print('one'); os._exit(0)"])
def test_missing_or_truncated_output_is_wrong(run: Runner, source: str) -> None:
    assert run(source, expected=b"one\ntwo\n").verdict == Verdict.WRONG_ANSWER


def test_an_exception_is_a_runtime_error_with_its_last_line(run: Runner) -> None:
    report = run("print('right'); raise KeyError('missing')", expected=b"right\n")
    assert (report.verdict, report.exit_code) == (Verdict.RUNTIME_ERROR, 1)
    assert report.detail == "exit code 1: KeyError: 'missing'"
    assert "Traceback" in report.stderr


def test_a_failing_exit_code_outranks_the_right_output(run: Runner) -> None:
    report = run("print('right', flush=True); raise SystemExit(3)", expected=b"right\n")
    assert (report.verdict, report.exit_code) == (Verdict.RUNTIME_ERROR, 3)


def test_a_signal_is_a_runtime_error(run: Runner) -> None:
    report = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (report.verdict, report.exit_code, report.signal) == (Verdict.RUNTIME_ERROR, None, 11)
    assert "SIGSEGV" in report.detail


def test_waiting_too_long_is_a_time_limit(run: Runner) -> None:
    report = run("print('right', flush=True)\nimport time; time.sleep(60)", expected=b"right\n", limits=Limits(0.4))
    assert report.verdict == Verdict.TIME_LIMIT
    assert "wall time" in report.detail
    assert 0.4 <= report.measurement.wall_time_s < 30


def test_computing_too_long_is_a_time_limit(run: Runner) -> None:
    report = run("while True: pass", limits=Limits(cpu_time_s=0.3))
    assert report.verdict == Verdict.TIME_LIMIT
    assert "CPU time" in report.detail


def test_cpu_time_counts_over_all_processes(run: Runner) -> None:
    source = """
        import os
        for _ in range(3):
            if os.fork() == 0: break
        while True: pass
    """
    assert "CPU time" in run(source, limits=Limits(wall_time_s=30, cpu_time_s=0.4)).detail


def test_cpu_time_of_children_that_nobody_waits_for_counts(run: Runner) -> None:
    source = """
        import os, signal, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            if os.fork() == 0:
                end = time.process_time() + 0.1
                while time.process_time() < end: pass
                os._exit(0)
            try: os.wait()
            except ChildProcessError: pass
    """
    assert "CPU time" in run(source, limits=Limits(wall_time_s=30, cpu_time_s=1.0)).detail


def test_too_much_memory_is_a_memory_limit(run: Runner) -> None:
    report = run("kept = []\nwhile True: kept.append(bytearray(1 << 20))", limits=Limits(memory_kib=100 << 10))
    assert report.verdict == Verdict.MEMORY_LIMIT
    assert "the limit is 100 MiB" in report.detail


def test_a_short_peak_of_memory_is_noticed_afterwards(run: Runner) -> None:
    """The kernel's own mark sees what may fall between two samples."""
    report = run("bytearray(120 << 20); print('right')", expected=b"right\n", limits=Limits(memory_kib=100 << 10))
    assert report.verdict == Verdict.MEMORY_LIMIT


def test_memory_counts_over_all_processes(run: Runner) -> None:
    source = """
        import os, time
        for _ in range(5):
            if os.fork() == 0:
                kept = bytearray(b"x" * (40 << 20))
                time.sleep(30)
        time.sleep(30)
    """
    assert run(source, limits=Limits(memory_kib=150 << 10)).verdict == Verdict.MEMORY_LIMIT


def test_a_flood_of_output_is_an_output_limit_and_bounded(run: Runner) -> None:
    report = run("import sys\nwhile True: sys.stdout.write('x' * 4096)", limits=Limits(output_bytes=100_000))
    assert report.verdict == Verdict.OUTPUT_LIMIT
    assert len(report.stdout) == 100_000


def test_both_outputs_count_together(run: Runner) -> None:
    source = "import os; os.write(1, b'x' * 600); os.write(2, b'y' * 600)"
    assert run(source, limits=Limits(output_bytes=1200)).verdict == Verdict.ACCEPTED
    assert run(source, limits=Limits(output_bytes=1199)).verdict == Verdict.OUTPUT_LIMIT


def test_time_outranks_memory_which_outranks_output(run: Runner) -> None:
    hungry = "kept = bytearray(b'x' * (80 << 20)); print('x' * 5000)\n"
    small = {"memory_kib": 50 << 10, "output_bytes": 1000}
    assert run(hungry, limits=Limits(**small)).verdict == Verdict.MEMORY_LIMIT
    assert run("import time; time.sleep(0.1)", limits=Limits(wall_time_s=0.05, memory_kib=100)).verdict in {
        Verdict.TIME_LIMIT,
        Verdict.MEMORY_LIMIT,  # it was noticed first
    }
    assert VERDICT_PRIORITY.index(Verdict.TIME_LIMIT) < VERDICT_PRIORITY.index(Verdict.MEMORY_LIMIT)


def test_too_many_processes_end_the_run(run: Runner) -> None:
    source = "import os, time\nfor _ in range(20): os.fork() or time.sleep(9)\ntime.sleep(9)"
    report = run(source, limits=Limits(processes=10))
    assert report.verdict == Verdict.RUNTIME_ERROR
    assert report.detail == "had more than 10 processes and threads at once"


def test_threads_count_as_processes(run: Runner) -> None:
    source = """
        import threading, time
        threads = [threading.Thread(target=time.sleep, args=(0.3,)) for _ in range(12)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    assert run(source, limits=Limits(processes=20)).verdict == Verdict.ACCEPTED
    assert "processes and threads" in run(source, limits=Limits(processes=8)).detail


def test_the_size_of_a_file_and_of_the_writable_folder_are_limited(run: Runner) -> None:
    one = "open('big', 'wb').write(bytes(2 << 20))"
    many = "for i in range(9): open(f'{i}', 'wb').write(bytes(1 << 19))"
    assert "File too large" in run(one, limits=Limits(file_kib=1024)).detail
    assert "No space left" in run(many, limits=Limits(file_kib=1024)).detail
    assert run(one).verdict == Verdict.ACCEPTED


def test_open_files_are_limited(run: Runner) -> None:
    report = run("kept = [open('/dev/null') for _ in range(100)]", limits=Limits(open_files=50))
    assert "Too many open files" in report.detail


def test_a_report_has_every_case_and_the_worst_verdict(sandbox: Sandbox) -> None:
    cases = [TestCase(b"4", b"2"), TestCase(b"0", b"0"), TestCase(b"9", b"9")]
    report = sandbox.run(Program("python", "print(8 // int(input()))"), cases)
    assert [case.verdict for case in report.cases] == ["accepted", "runtime_error", "wrong_answer"]
    assert report.verdict == Verdict.RUNTIME_ERROR
    assert report.measurement.cpu_time_s == pytest.approx(sum(case.measurement.cpu_time_s for case in report.cases))
    assert report.measurement.peak_memory_kib == max(case.measurement.peak_memory_kib for case in report.cases)
    assert report.backend.startswith("bubblewrap ")


def test_cases_after_the_first_failure_can_be_left_out(sandbox: Sandbox) -> None:
    cases = [TestCase(b"", b"1"), TestCase(b"", b"2"), TestCase(b"", b"1")]
    report = sandbox.run(Program("python", "print(1)"), cases, stop_at_failure=True)
    assert [case.verdict for case in report.cases] == ["accepted", "wrong_answer"]


def test_cases_after_the_first_time_limit_can_be_left_out_and_the_verdict_is_that_of_all(sandbox: Sandbox) -> None:
    cases = [TestCase(b"1", b"2"), TestCase(b"2", b"1"), TestCase(b"3", b"3")]
    program = Program("python", "if int(input()) == 2:\n    while True: pass\nprint(1)")
    report = sandbox.run(program, cases, Limits(cpu_time_s=0.5), stop_at_time_limit=True)
    assert [case.verdict for case in report.cases] == ["wrong_answer", "time_limit"]
    assert report.verdict == Verdict.TIME_LIMIT


def test_arguments_and_path_are_the_programs(sandbox: Sandbox) -> None:
    program = Program("python", "import sys; print(sys.argv, __file__)", path="/opt/it/prog.py", arguments=("a b", "c"))
    report = sandbox.run(program, [TestCase(b"", b"['/opt/it/prog.py', 'a b', 'c'] /opt/it/prog.py")])
    assert report.verdict == Verdict.ACCEPTED, report.cases[0]


def test_source_is_kept_to_the_byte(sandbox: Sandbox) -> None:
    source = "# grüße\r\nprint(open(__file__, 'rb').read())\r\n"
    report = sandbox.run(Program("python", source), [TestCase(b"", repr(source.encode()).encode())])
    assert report.verdict == Verdict.ACCEPTED, report.cases[0].detail


@pytest.mark.parametrize("backend", ["bubble", "ftp://localhost", ""])
def test_backends_that_nobody_knows_are_refused_as_a_matter_of_usage(backend: str) -> None:
    with pytest.raises(UsageError, match="bubblewrap"), open_sandbox(backend):
        pass


@pytest.mark.parametrize(
    ("program", "case", "limits", "complaint"),
    [
        (Program("python", b""), TestCase(), Limits(), "source is text"),
        ("print(1)", TestCase(), Limits(), r"Program\(language, source\)"),
        (Program("python", ""), TestCase("3"), Limits(), "stdin is bytes, not str"),
        (Program("python", ""), TestCase(b"", "7"), Limits(), "expected_stdout is bytes or a Path, not str"),
        (Program("python", ""), "3", Limits(), "TestCase or a CallCase, not str"),
        (Program("python", ""), TestCase(), {"wall_time_s": 1}, r"Limits\(wall_time_s"),
    ],
)
def test_arguments_of_another_kind_are_refused_at_the_door(
    sandbox: Sandbox, program: Program, case: TestCase, limits: Limits, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        sandbox.run(program, [case], limits)


def test_a_language_that_is_not_known_and_no_cases_are_refused(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match="cobol"):
        sandbox.run(Program("cobol", ""), [TestCase()])
    with pytest.raises(UsageError, match="no cases"):
        sandbox.run(Program("python", ""), [])
