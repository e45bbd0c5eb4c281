"""What a person sees who waits, on a real terminal and through pipes."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pexpect
import pytest

from afterburner.agent.cli.progress import PlainProgress
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.sandbox.terminal.plain_lines import PlainLines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WAITING = '''
"""Shows progress and waits."""
import threading
import time
from afterburner.agent.cli.progress import ProgressStyle, show_progress, style_of
from afterburner.agent.events import EventKind, ProgressEvent, Stage
from afterburner.agent.types import Decision
from afterburner.agent.options import RunSettings, Search

def wait(seconds: float, quiet: bool = False) -> None:
    settings = RunSettings("x.py", search=Search(iterations=3))
    with show_progress(settings, style_of(ProgressStyle.TEXT, quiet=quiet)) as tell:
        tell(ProgressEvent(kind=EventKind.MEASURING_ORIGINAL))
        print("chatter of a library")
        event = ProgressEvent(
            kind=EventKind.JUDGED, stage=Stage.PROFILE, candidate="1.2", proposer="rules: \\x1b[2Jjoin-strings",
            decision=Decision.PROMISING, detail="long " * 50, iteration=1, best_ratio=2.5,
        )
        thread = threading.Thread(target=tell, args=(event,))
        thread.start()
        thread.join()
        time.sleep(seconds)
    print("the end")


def wait_for_many(seconds: float) -> None:
    with show_progress(RunSettings("src", search=Search(iterations=3))) as tell:
        tell(ProgressEvent(kind=EventKind.PROFILING_PROJECT))
        for number, name in enumerate(("first", "second", "third"), start=1):
            tell(ProgressEvent(kind=EventKind.MEASURING_ORIGINAL, target=name, number=number, targets=3))
        done = ProgressEvent(kind=EventKind.FUNCTION_DONE, detail="improved: 2x", target="first", number=1, targets=3)
        tell(done)
        time.sleep(seconds)
    print("the end")
'''


@pytest.fixture(autouse=True)
def waiting(register: Callable[[str, str, str], None]) -> None:
    register("wait", "wait_plugin:wait", WAITING)
    register("wait_for_many", "wait_plugin:wait_for_many", WAITING)


def test_a_terminal_shows_stage_best_and_time_in_place(program: CommandLine) -> None:
    with program.on_terminal("wait", "1.5") as terminal:
        terminal.expect("1.2 rules: ")
        terminal.expect(r"0:\d\d  iteration 1 of 3  best so far 2.50x")
        terminal.expect("the end")
        terminal.expect(pexpect.EOF)
        shown = str(terminal.before)
    assert terminal.exitstatus == 0
    assert HIDE_CURSOR not in shown


def test_a_terminal_shows_a_line_for_each_function_that_is_worked_on(program: CommandLine) -> None:
    with program.on_terminal("wait_for_many", "1.5") as terminal:
        terminal.expect("1 of 3 functions done")
        terminal.expect("the end")
        shown = COLOUR.sub("", str(terminal.before)).replace("\r", "")
    for name in ("second", "third"):
        assert f" {name}: measuring the original" in shown
    assert "first" not in shown
    assert "profiling" not in shown


def test_a_pipe_gets_a_line_for_each_event_of_several_functions(program: CommandLine) -> None:
    lines = [line.partition("] ")[2] for line in program("wait_for_many", "0").stderr.splitlines()]
    assert lines[1:] == [
        *(f"prepare: [{n} of 3] {name}: measuring the original" for n, name in ((1, "first"), (2, "second"))),
        "prepare: [3 of 3] third: measuring the original",
        "prepare: [1 of 3] first: improved: 2x",
    ]


def test_a_pipe_is_told_once_of_many_waits_for_a_core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = [1000.0]
    monkeypatch.setattr("afterburner.agent.cli.progress.time.monotonic", lambda: now_s[0])
    tell = PlainProgress(PlainLines())
    for kind in (EventKind.WAITING_FOR_CORE, EventKind.MEASURING_ORIGINAL, EventKind.WAITING_FOR_CORE):
        tell(ProgressEvent(kind=kind))
    now_s[0] += 90
    tell(ProgressEvent(kind=EventKind.WAITING_FOR_CORE))
    assert capsys.readouterr().err.splitlines() == [
        "[0:00] prepare: waiting for a CPU core that another measurement holds",
        "[0:00] prepare: measuring the original",
        "[1:30] prepare: waiting for a CPU core that another measurement holds",
    ]


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ((EventKind.MEASURING_ORIGINAL,), " on: prepare: measuring the original"),
        ((EventKind.MEASURING_ORIGINAL, EventKind.KEPT), "; the last step: prepare: 1.1 rules is kept"),
        (
            (EventKind.MEASURING_ORIGINAL, EventKind.WAITING_FOR_CORE),
            " on: prepare: measuring the original (waiting for a CPU core that another measurement holds now and then)",
        ),
    ],
)
def test_a_reminder_names_what_is_done_or_what_was_done_last(
    monkeypatch: pytest.MonkeyPatch, kinds: tuple[EventKind, ...], told: str
) -> None:
    told_so_far = io.StringIO()
    monkeypatch.setattr("sys.stderr", told_so_far)
    lines = PlainLines()
    tell = PlainProgress(lines)
    for kind in kinds:
        tell(ProgressEvent(kind=kind, candidate="1.1", proposer="rules"))
    with lines.never_silent(0.01):
        while "still at work" not in told_so_far.getvalue():
            time.sleep(0.01)
    assert f"still at work{told}\n" in told_so_far.getvalue()


@pytest.mark.parametrize(
    ("given", "hint"),
    [(("nosuch.py",), ""), (("shops.py",), "/shop.py?"), (("shop.py", "--calls", "call.py"), "/calls.py?")],
)
def test_a_file_that_is_not_there_is_told_before_any_progress(
    program: CommandLine, tmp_path: Path, given: tuple[str, ...], hint: str
) -> None:
    for name in ("shop.py", "calls.py"):
        (tmp_path / name).write_text("def f(): pass\n", encoding="utf-8")
    done = program("run", *(each if each.startswith("--") else str(tmp_path / each) for each in given))
    assert done.returncode == 2
    assert done.stderr.startswith("error: No such file: ")
    assert (hint in done.stderr) if hint else ("Did you mean" not in done.stderr)


def test_the_live_lines_fit_the_terminal_and_vanish(program: CommandLine) -> None:
    with program.on_terminal("wait", "0.6") as terminal:
        terminal.expect("the end")
        shown = str(terminal.before)
    assert "\\x1b[2Jjoin" in shown
    assert "\x1b[2J" not in shown
    assert "…" in shown
    assert max(len(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line)) for line in re.split(r"[\r\n]+", shown)) <= 80
    assert shown.rindex(SHOW_CURSOR) > shown.rindex(HIDE_CURSOR)


@pytest.mark.parametrize("key", ["\x03", "SIGTERM"])
def test_an_interrupt_restores_the_terminal(program: CommandLine, key: str) -> None:
    with program.on_terminal("wait", "60") as terminal:
        terminal.expect("best so far")
        if key == "SIGTERM":
            terminal.kill(signal.SIGTERM)
        else:
            terminal.send(key)
        terminal.expect("interrupted")
        shown = str(terminal.before)
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 130
    assert shown.rindex(SHOW_CURSOR) > shown.rfind(HIDE_CURSOR)
    assert "Traceback" not in shown


def test_a_terminal_shows_at_once_what_a_command_was_given(program: CommandLine) -> None:
    (program.home / "words.py").write_text("def common():\n    pass\n", encoding="utf-8")
    with program.on_terminal("run", "words.py", "--function", "missing") as terminal:
        terminal.expect("prepare: reading missing in words.py")
        terminal.expect("error: No function missing in ")
        shown = str(terminal.before)
        terminal.expect(pexpect.EOF)
    assert "reading" not in shown.rpartition("\x1b[2K")[2], "the line is still there below the error"
    assert terminal.exitstatus == 2
    assert HIDE_CURSOR not in str(terminal.before)


@pytest.mark.parametrize("options", [("--quiet",), ("--progress", "none"), ("--progress", "json")])
def test_what_a_command_was_given_is_for_people_alone(program: CommandLine, options: tuple[str, ...]) -> None:
    (program.home / "words.py").write_text("def common():\n    pass\n", encoding="utf-8")
    done = program("run", "words.py", "--function", "missing", "--json", "-", *options)
    assert done.returncode == 2
    assert not done.stdout
    assert done.stderr.startswith("error: No function missing in ")
    assert len(done.stderr.splitlines()) == 1


def test_pipes_get_plain_lines_on_stderr(program: CommandLine) -> None:
    done = program("wait", "0")
    assert done.returncode == 0
    assert done.stdout == "the end\n"
    first, chatter, second = done.stderr.splitlines()
    assert re.fullmatch(r"\[0:00\] prepare: measuring the original", first)
    assert chatter == "chatter of a library"
    assert re.fullmatch(r"\[0:00\] profile: 1\.2 rules: .*\(best so far 2\.50x\)", second)
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("variables", [{"CI": "true"}, {"TERM": "dumb"}])
def test_terminals_that_nobody_watches_get_plain_lines(program: CommandLine, variables: dict[str, str]) -> None:
    with program.on_terminal("wait", "0", **variables) as terminal:
        terminal.expect(pexpect.EOF)
        shown = str(terminal.before)
    assert "[0:00] prepare: measuring the original\r\n" in shown
    assert "\x1b" not in shown


def test_no_color_keeps_the_live_lines_without_colour(program: CommandLine) -> None:
    with program.on_terminal("wait", "0.6", NO_COLOR="1") as terminal:
        terminal.expect(pexpect.EOF)
        shown = str(terminal.before)
    assert "best so far 2.50x" in shown
    assert not COLOUR.search(shown)


def test_quiet_shows_no_progress(program: CommandLine) -> None:
    done = program("wait", "0", "--quiet")
    assert done.stdout == "the end\n"
    assert "prepare" not in done.stderr


def test_a_reader_of_progress_that_goes_away_ends_the_run(program: CommandLine) -> None:
    with subprocess.Popen(
        [program.path, "wait", "0"], env=program.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.wait(timeout=30) == 1


def test_a_terminal_that_closes_ends_the_run(program: CommandLine) -> None:
    with program.on_terminal("wait", "60") as terminal:
        terminal.expect("best so far")
        terminal.close(force=False)
    assert (terminal.exitstatus, terminal.signalstatus) == (130, None)


@pytest.mark.nightly
@pytest.mark.slow
def test_json_lines_say_which_run_how_far_and_at_what_cost(program: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text(
        "def common(left, right):\n    return [word for word in left if word in right]\n\n\n"
        "if __name__ == '__main__':\n    for n in (50, 60, 70):\n        common(list(range(n)), list(range(n)))\n"
    )
    arguments = ("run", str(path), "-f", "common", "--iterations", "1", "--progress", "json", "--max-seconds", "30")
    done = program(*arguments)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert {event["job"] for event in events} == {f"{path}::common"}
    assert len({event["run_id"] for event in events}) == 1
    assert [event["stage"] for event in events][:2] == ["prepare", "prepare"]
    fractions = [event["fraction"] for event in events]
    assert fractions == sorted(fractions)
    assert any(event["candidate"] == "1.1" for event in events)
    assert {(event["requests"], event["tokens"], event["cost_usd"]) for event in events} == {(0, 0, 0.0)}
    assert all(event["elapsed_s"] > 0 for event in events)
