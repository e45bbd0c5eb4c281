"""A service used as a sandbox: the same reports as from the sandbox here."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import (
    CallCase,
    CancelledError,
    ContainerSpec,
    FunctionEntry,
    Limits,
    Program,
    PythonEnvironment,
    SandboxInternalError,
    SandboxUnavailableError,
    Task,
    TestCase,
    UsageError,
    open_sandbox,
)
from afterburner.sandbox import remote as remote_sandbox
from afterburner.sandbox.checkers import Custom, Exact, Floats, Lines, Tokens
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from conftest import Service, Sleeper

    from afterburner.sandbox import Report, Sandbox
    from afterburner.sandbox.checkers import Checker

    Serve = Callable[..., Service]


@pytest.fixture
def remote(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", str(service.token))
    with open_sandbox(service.url) as sandbox:
        yield sandbox


def _unmeasured(report: Report) -> Report:
    """The report without its numbers, and without what carries an address in memory or a duration."""
    nothing = replace(report.measurement, **dict.fromkeys(("wall_time_s", "cpu_time_s", "memory_integral_kib_s"), 0.0))
    nothing = replace(nothing, peak_memory_kib=0, samples=0, sampling_interval_s=0)
    cases = tuple(replace(case, measurement=nothing) for case in report.cases)
    compilation = report.compilation and replace(report.compilation, wall_time_s=0.0)
    return replace(report, measurement=nothing, cases=cases, compilation=compilation)


@pytest.mark.parametrize(
    ("program", "checker"),
    [
        (Program("python", "print(input())"), Lines()),
        (Program("python", "print(input())"), Exact()),
        (Program("python", "print(float(input()) + 1e-9)"), Floats()),
        (Program("python", "import sys; print(*sys.argv[1:])", arguments=("ä b", "")), Tokens()),
        (Program("python", "import sys; sys.stdout.buffer.write(bytes(range(256)))"), Lines()),
        (Program("python", "raise KeyError('größe')"), Lines()),
        (Program("python", "import os; os.abort()"), Lines()),
        (Program("python", "print(1"), Lines()),
        (Program("cpp", '#include <cstdio>\nint main() { puts("21"); }'), Lines()),
        (Program("cpp", "int main() { return nothing; }"), Lines()),
    ],
)
def test_a_report_is_the_same_from_here_and_from_there(
    sandbox: Sandbox, remote: Sandbox, program: Program, checker: Checker
) -> None:
    cases = [TestCase(b"21\n", b"21\n"), TestCase(b"\xff", None, "bytes"), TestCase(b"", b"")]
    here, there = (each.run(program, cases, checker=checker) for each in (sandbox, remote))
    assert _unmeasured(there) == _unmeasured(here)
    assert remote.describe() == sandbox.describe()


def test_limits_and_stopping_travel(remote: Sandbox) -> None:
    report = remote.run(
        Program("python", "while True: pass"), [TestCase()] * 3, Limits(cpu_time_s=0.2), stop_at_failure=True
    )
    assert (report.verdict, len(report.cases)) == ("time_limit", 1)


def test_stopping_at_the_first_time_limit_travels(remote: Sandbox) -> None:
    report = remote.run(
        Program("python", "if input() == '2':\n    while True: pass\nprint(1)"),
        [TestCase(b"1", b"2"), *[TestCase(b"2", b"1")] * 19],
        Limits(cpu_time_s=0.2),
        stop_at_time_limit=True,
    )
    assert [case.verdict for case in report.cases] == ["wrong_answer", "time_limit"]


def test_a_checker_program_travels(remote: Sandbox) -> None:
    cases = [TestCase(b"", b"1")]
    program = Program("python", "print(1)")
    assert remote.run(program, cases, checker=Custom(Program("python", "exit(2)"))).verdict == "wrong_answer"
    with pytest.raises(CheckerError, match="exit code 9"):
        remote.run(program, cases, checker=Custom(Program("python", "exit(9)")))
    equal = Custom(Program("python", "exit(9)"), accepts_equal=True)
    assert remote.run(Program("python", "print(1, end='')"), cases, checker=equal).verdict == "accepted"


def test_many_tasks_keep_their_order(remote: Sandbox) -> None:
    def tasks() -> Iterator[Task]:
        for number in range(10):
            case = TestCase(b"", b"%d.0" % (number % 8))
            yield Task(Program("python", f"print({number})"), [case], checker=Floats())

    verdicts = [report.verdict for report in remote.run_many(tasks(), jobs=4)]
    assert verdicts == ["accepted"] * 8 + ["wrong_answer"] * 2

    async def gather() -> list[str]:
        return [report.verdict async for report in remote.run_many_async(tasks())]

    assert asyncio.run(gather()) == verdicts


def test_tasks_are_taken_only_as_fast_as_they_are_run(remote: Sandbox) -> None:
    taken = []

    def endless() -> Iterator[Task]:
        while True:
            taken.append(1)
            yield Task(Program("python", "print(1)"), [TestCase()])

    reports = remote.run_many(endless(), jobs=3)
    next(reports)
    next(reports)
    assert len(taken) <= 5
    reports.close()


def test_leaving_early_kills_what_runs_there(remote: Sandbox, sleeper: Sleeper) -> None:
    long = Task(Program("python", "import time; time.sleep(60)", arguments=(sleeper.mark,)), [TestCase()], Limits(60))
    reports = remote.run_many([Task(Program("python", ""), [TestCase()]), long])
    assert next(reports).verdict == "accepted"
    sleeper.wait_for(running=True)
    reports.close()
    sleeper.wait_for(running=False)
    assert remote.run(Program("python", ""), [TestCase()]).verdict == "accepted"


def test_cancelling_kills_what_runs_there(remote: Sandbox, sleeper: Sleeper) -> None:
    task = Task(Program("python", "import time; time.sleep(60)", arguments=(sleeper.mark,)), [TestCase()], Limits(60))

    async def start_and_cancel() -> None:
        async def read() -> None:
            async for _ in remote.run_many_async([task]):
                pass

        reading = asyncio.ensure_future(read())
        await asyncio.to_thread(sleeper.wait_for, running=True)
        reading.cancel()
        await asyncio.wait([reading])

    asyncio.run(start_and_cancel())
    sleeper.wait_for(running=False)


def test_stopping_ends_what_others_wait_for(remote: Sandbox, sleeper: Sleeper) -> None:
    program = Program("python", "import time; time.sleep(60)", arguments=(sleeper.mark,))

    def stop() -> None:
        sleeper.wait_for(running=True)
        remote.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(CancelledError):
        remote.run(program, [TestCase()], Limits(60))
    thread.join()
    sleeper.wait_for(running=False)
    with pytest.raises(CancelledError):
        remote.run(program, [TestCase()])


@pytest.mark.nightly
@pytest.mark.slow
def test_a_busy_service_is_asked_again_when_it_says(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(rate_per_s=4.0, burst=2, waiting=0)
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", str(service.token))
    with open_sandbox(service.url) as remote:
        tasks = [Task(Program("python", f"print({n})"), [TestCase(b"", b"%d" % n)]) for n in range(6)]
        assert {report.verdict for report in remote.run_many(tasks, jobs=6)} == {"accepted"}
    log = service.log.read_text()
    assert " 429 " in log or " 503 " in log


@pytest.mark.parametrize(
    ("program", "cases", "options"),
    [
        (Program("python", "", entry=FunctionEntry("m", "/m.py", "f")), [TestCase()], {}),
        (Program("python", "", path="/m.py"), [TestCase()], {}),
        (Program("python", "", environment=PythonEnvironment("/usr/bin/python3", (3, 11), ())), [TestCase()], {}),
        (Program("python", ""), [CallCase((b"",))], {}),
        (Program("python", ""), [], {}),
        (Program("python", ""), [TestCase()], {"cpu": 0}),
        (Program("python", ""), [TestCase()], {"limits": Limits(wall_time_s=1e6)}),
        (Program("python", ""), [TestCase()], {"limits": Limits(wall_time_s=-1)}),
        (Program("python", "\ud800"), [TestCase()], {}),
        (Program("cobol", ""), [TestCase()], {}),
        (Program("python", "#" * (2 << 20)), [TestCase()], {}),
    ],
)
def test_what_cannot_be_had_from_a_service_is_refused(
    remote: Sandbox, program: Program, cases: list[TestCase], options: dict[str, object]
) -> None:
    with pytest.raises(UsageError):
        remote.run(program, cases, **options)  # type: ignore[arg-type]


def test_a_service_lends_no_containers(remote: Sandbox) -> None:
    with pytest.raises(UsageError, match="local sandbox"), remote.supplied(ContainerSpec()):
        pass
    with pytest.raises(UsageError, match="at least one"):
        next(remote.run_many([], jobs=0))


def test_a_wrong_token_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for token in ("", "wrong"):
        monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", token)
        with pytest.raises(UsageError, match="AFTERBURNER_SERVICE_TOKEN"), open_sandbox(service.url):
            pass


@pytest.mark.parametrize(
    ("url", "reason"),
    [("http://127.0.0.1:9", "No sandbox service answers"), ("http://127.0.0.1:x", "is not the address")],
)
def test_where_nothing_answers_the_address_is_named(url: str, reason: str) -> None:
    with pytest.raises((SandboxUnavailableError, UsageError), match=reason), open_sandbox(url):
        pass


def test_another_kind_of_server_is_recognised() -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with (
            pytest.raises(SandboxUnavailableError, match="is not a sandbox service"),
            open_sandbox(f"http://127.0.0.1:{server.server_port}"),
        ):
            pass
        server.shutdown()


@contextmanager
def killed_while_running(service: Service, sleeper: Sleeper, then: Callable[[], object]) -> Iterator[Future[Report]]:
    """Kills a service while it runs a task, calls `then`, and yields the future of the task."""
    program = Program("python", "import time; time.sleep(5); print('done')", arguments=(sleeper.mark,))
    with open_sandbox(service.url) as remote, ThreadPoolExecutor() as threads:
        running = threads.submit(remote.run, program, [TestCase(b"", b"done")], Limits(60))
        sleeper.wait_for(running=True)
        service.process.kill()
        service.process.wait()
        then()
        yield running


@pytest.mark.slow
def test_a_task_is_sent_again_to_a_service_that_was_killed_and_starts_again(
    serve: Serve, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve()
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", str(service.token))
    monkeypatch.setattr(remote_sandbox, "_TRIES", 100)  # a busy machine may start it late

    def start_again() -> None:
        assert serve(port=int(service.url.rpartition(":")[2])).url == service.url

    with killed_while_running(service, sleeper, start_again) as running:
        assert running.result().verdict == "accepted"


@pytest.mark.parametrize(
    ("tries", "error"),
    [
        (1, SandboxInternalError("The connection to the sandbox service at http.* failed")),
        (2, SandboxUnavailableError("No sandbox service answers at http")),
    ],
    ids=["sent once", "sent again"],
)
def test_a_service_that_stays_away_is_no_verdict(
    serve: Serve, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch, tries: int, error: Exception
) -> None:
    service = serve()
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", str(service.token))
    monkeypatch.setattr(remote_sandbox, "_TRIES", tries)
    with (
        killed_while_running(service, sleeper, lambda: None) as running,
        pytest.raises(type(error), match=str(error)),
    ):
        running.result()
