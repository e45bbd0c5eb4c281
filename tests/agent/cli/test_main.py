"""The root command: help, version, errors, interrupts, pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer
import typer.core

from afterburner.agent.cli import main as main_module
from afterburner.agent.cli.run import app

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

HEAVY = {"langgraph", "langchain_core", "litellm", "libcst", "hypothesis", "torch"}
LIST_MODULES = """
import json, sys
from afterburner.agent.cli.main import main
code = main()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""

FAILING = '''
"""Fails in many ways."""
import sys
import time
from afterburner.sandbox import AfterburnerError, SandboxUnavailableError

def demo(how: str) -> None:
    if how == "unavailable":
        raise SandboxUnavailableError("bubblewrap is missing: install it.\\x1b[2J")
    if how == "bug":
        raise KeyError("inner\\x1b[2J detail")
    if how == "abort":
        raise KeyboardInterrupt
    if how == "wait":
        try:
            print("waiting", flush=True)
            time.sleep(60)
        finally:
            print("cleaned up", flush=True)
    if how == "flood":
        for _ in range(100_000):
            print("x" * 100)
'''


@pytest.fixture
def demo(register: Callable[[str, str, str], None]) -> None:
    register("demo", "demo_plugin:demo", FAILING)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"], []])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES, *arguments], capture_output=True, encoding="utf-8", check=False
    )
    modules = set(json.loads(done.stderr.splitlines()[-1]))
    assert "afterburner" in modules
    assert not modules & HEAVY


def test_help_names_every_option_of_run(program: CommandLine) -> None:
    done = program("run", "--help", COLUMNS="160")
    assert done.returncode == 0
    for option in (
        "--function", "--objective", "--model", "--iterations", "--candidates", "--calls", "--cases", "--apply",
        "--patch", "--json", "--seed", "--max-seconds", "--yes", "--python", "--min-effect", "--min-gain-per-line",
    ):  # fmt: skip
        assert option in done.stdout, option
    assert "\x1b" not in done.stdout


def test_the_page_about_the_command_line_names_every_option_and_exit_code() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cli.md").read_text("utf-8")
    for parameter in typer.main.get_command(app).params:
        for option in parameter.opts:
            assert f"`{option}" in page or f"`{option.upper()}" in page, option
    for code in (0, 1, 2, 3, 4, 130):
        assert f"| {code} |" in page


def test_version(program: CommandLine) -> None:
    done = program("--version")
    assert (done.returncode, done.stdout) == (0, f"afterburner-agent {version('afterburner-agent')}\n")


def test_windows_is_told_where_it_works(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main_module.main() == 3
    assert capsys.readouterr().err == "error: Windows has no sandbox that this program can use. Run it inside WSL 2.\n"


def test_the_module_is_the_program() -> None:
    command = [sys.executable, "-m", "afterburner.agent", "--version"]
    assert subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.startswith("afterburner-")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run"], "FILE"),
        (["rum", "x.py"], "Did you mean 'run'"),
        (["run", "x.py", "--nonsense"], "--nonsense"),
        (["run", ""], "FILE"),
        (["run", "x.py", "--objective", "speed"], "--objective"),
        (["run", "x.py", "--iterations", "0"], "--iterations"),
        (["run", "x.py", "--iterations", "many"], "--iterations"),
        (["run", "x.py", "--candidates", "-1"], "--candidates"),
        (["run", "x.py", "--max-seconds", "0"], "--max-seconds"),
        (["run", "x.py", "--max-seconds", "nan"], "--max-seconds"),
        (["run", "x.py", "--max-seconds", "inf"], "--max-seconds"),
        (["run", "x.py", "--min-effect", "-0.1"], "--min-effect"),
        (["run", "x.py", "--min-gain-per-line", "nan"], "--min-gain-per-line"),
        (["run", "x.py", "--seed", "-1"], "--seed"),
        (["run", "x.py", "--max-seconds", "abc"], "'--max-seconds': Input should be a valid number. "),
        (["run", "x.py", "--objective", "speed"], "'--objective': 'speed' is not one of 'time'"),
        (["run", "x.py", "--seed", "4294967296"], "--seed"),
        (["run", "x.py", "--model", " "], "--model"),
        (["run", "x.py", "--calls", "c.py", "--cases", "d"], "exclude each other"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    program: CommandLine, arguments: list[str], complaint: str
) -> None:
    done = program(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: ")
    assert complaint in done.stderr


@pytest.mark.usefixtures("demo")
def test_our_errors_end_with_their_message_and_exit_code(program: CommandLine) -> None:
    done = program("demo", "unavailable")
    assert (done.returncode, done.stderr) == (3, "error: bubblewrap is missing: install it.\\x1b[2J\n")


@pytest.mark.usefixtures("demo")
def test_a_bug_is_one_line_that_says_how_to_report_it(program: CommandLine) -> None:
    done = program("demo", "bug")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "KeyError" in done.stderr
    assert "AFTERBURNER_DEBUG=1" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(("arguments", "variable"), [(["--debug", "demo", "bug"], ""), (["demo", "bug"], "1")])
def test_debugging_shows_the_traceback(program: CommandLine, arguments: list[str], variable: str) -> None:
    done = program(*arguments, AFTERBURNER_DEBUG=variable)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "demo_plugin.py" in done.stderr


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_unwind_and_end_with_130(program: CommandLine, number: signal.Signals) -> None:
    with program.start("demo", "wait") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(number)
        stdout, stderr = running.communicate(timeout=30)
    assert (running.returncode, stdout, stderr) == (130, "cleaned up\n", "interrupted\n")


@pytest.mark.usefixtures("demo")
def test_an_ignored_signal_stays_ignored(program: CommandLine) -> None:
    with subprocess.Popen(
        ["/bin/sh", "-c", f"trap '' HUP; exec {program.path} demo wait"],
        cwd=program.home,
        env=program.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "waiting\n"
        running.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(timeout=0.5)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
    assert running.returncode == 130


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("arguments", [["--help"], ["demo", "flood"]])
def test_a_reader_that_goes_away_ends_the_program_quietly(program: CommandLine, arguments: list[str]) -> None:
    with program.start(*arguments) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait(timeout=30) == 1


def test_closed_streams_are_no_problem(program: CommandLine) -> None:
    command = ["/bin/sh", "-c", f"{program.path} run x.py --seed -1 >&- 2>&-"]
    assert subprocess.run(command, env=program.environment(), cwd=program.home, check=False).returncode == 2


def test_characters_that_a_stream_cannot_encode_are_escaped(program: CommandLine) -> None:
    done = program.afresh("run", "x.py", "--patch", "/nowhere/naïve.patch", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "na\\xefve" in done.stderr
