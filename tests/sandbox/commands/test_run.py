"""`afterburner-agent sandbox run` as a person meets it: files, exit codes, pipes and terminals."""

from __future__ import annotations

import json
import os
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pexpect
import pytest

from afterburner.sandbox.commands.documents import RunDocument

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

    Write = Callable[[str, str | bytes], str]

SUM = "print(sum(map(int, input().split())))\n"
FOREVER = "import time\nprint('started', flush=True)\nwhile True:\n    time.sleep(0.01)\n"


@cache
def published_form() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(RunDocument.published_form())


def document(text: str) -> dict[str, Any]:
    """The JSON of a run, after it was held against its published form."""
    read: dict[str, Any] = json.loads(text)
    published_form().validate(read)
    return read


def test_an_accepted_program(program: CommandLine, write: Write) -> None:
    done = program(
        *("sandbox", "run", write("sum.py", SUM)),
        *("--stdin", write("in", "1 2\n"), "--expect", write("out", "3\n")),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"
    assert done.stderr.startswith("accepted\n")
    for shown in ("CPU time", "wall time", "peak memory", "memory integral", "python, bubblewrap"):
        assert shown in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("source", "options", "verdict"),
    [
        ("print(4)", ["--expect", "out"], "wrong answer: line 1: expected '3', got '4'"),
        ("raise ValueError('no luck')", [], "runtime error: exit code 1: ValueError: no luck"),
        ("while True: pass", ["--wall", "0.3"], "time limit: stopped after 0.3 s of wall time"),
        ("x = bytearray(99 << 20)", ["--memory", "50M"], "memory limit: "),
        ("print('x' * 5000)", ["--output-limit", "4K"], "output limit: wrote more than 4096 bytes"),
    ],
)
def test_any_other_verdict_is_exit_code_1_and_says_why(
    program: CommandLine, write: Write, source: str, options: list[str], verdict: str
) -> None:
    write("out", "3\n")
    done = program("sandbox", "run", write("program.py", source), *options)
    assert done.returncode == 1
    assert verdict in done.stderr
    assert "Traceback" not in done.stderr.replace("Traceback (most recent call last)", "", source.count("raise"))


@pytest.mark.parametrize(
    ("expected", "checker", "code"),
    [
        ("1.0  2\n", "lines", 1),
        ("1.0 2", "exact", 1),
        ("1.0 2\n", "exact", 0),
        ("1.0\n\n2", "tokens", 0),
        ("1.00000001 2", "tokens", 1),
        ("1.00000001 2", "floats", 0),
    ],
)
def test_the_checker_is_the_users_choice(
    program: CommandLine, write: Write, expected: str, checker: str, code: int
) -> None:
    file = write("program.py", "print('1.0 2')")
    done = program("sandbox", "run", file, "--expect", write("out", expected), "--checker", checker)
    assert done.returncode == code, done.stderr


def test_bytes_pass_through_a_pipe_as_they_are(program: CommandLine, write: Write) -> None:
    echo = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())\nsys.stderr.write('a\\x1bb')"
    data = bytes(range(256)) * 1000
    done = subprocess.run(
        [program.path, "sandbox", "run", write("echo.py", echo), "--stdin", "-", "--quiet"],
        cwd=program.home,
        env=program.environment(),
        input=data,
        capture_output=True,
        check=True,
    )
    assert done.stdout == data
    assert done.stderr == b"a\\x1bb\n"


def test_the_json_is_what_its_schema_says(program: CommandLine, write: Write) -> None:
    done = program("sandbox", "run", write("sum.py", SUM), "--stdin", write("in", "1 2\n"), "--json", "-", "-q")
    told = document(done.stdout)
    assert (told["schema"], told["verdict"], told["stdout"], told["exit_code"]) == (1, "accepted", "3\n", 0)
    assert told["file"] == str(program.home / "sum.py")
    assert len(told["runs"]) == 1
    assert done.stderr == ""


def test_repeats_give_the_median_and_the_extremes(program: CommandLine, write: Write) -> None:
    done = program("sandbox", "run", write("hello.py", "print('hello')"), "--repeat", "5", "--json", "result.json")
    assert done.stdout == "hello\n"
    assert all(word in done.stderr for word in ("median", "least", "most"))
    told = document((program.home / "result.json").read_text("utf-8"))
    walls = sorted(run["wall_time_s"] for run in told["runs"])
    assert told["measurement"]["wall_time_s"] == {"median": walls[2], "min": walls[0], "max": walls[4]}


def test_a_program_that_does_not_compile(program: CommandLine, write: Write) -> None:
    file = write("broken.cpp", "int main() { return nothing; }\n")
    done = program("sandbox", "run", file, "--json", "result.json")
    assert done.returncode == 1
    assert "compile error: " in done.stderr
    assert "was not declared" in done.stderr
    told = document((program.home / "result.json").read_text("utf-8"))
    assert told["verdict"] == "compile_error"
    assert told["measurement"] is None
    assert told["runs"] == []
    assert "nothing" in told["compilation"]["message"]


def test_a_compiled_program_with_arguments(program: CommandLine, write: Write) -> None:
    source = "#include <iostream>\nint main(int, char **words) { std::cout << words[1] << words[2]; }\n"
    done = program("sandbox", "run", write("words.cc", source), "--json", "result.json", "--", "-a", "b")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "-ab"
    assert document((program.home / "result.json").read_text("utf-8"))["compilation"]["succeeded"]


def test_the_language_can_be_told(program: CommandLine, write: Write) -> None:
    done = program("sandbox", "run", write("script", "print(1)"), "--language", "python")
    assert (done.returncode, done.stdout) == (0, "1\n")


def test_the_environment_beside_the_file_is_used(program: CommandLine, write: Write) -> None:
    subprocess.run(["python3", "-m", "venv", "--without-pip", program.home / ".venv"], check=True)
    (packages,) = program.home.glob(".venv/lib/python3*/site-packages")
    (packages / "only_there.py").write_text("WORD = 'found'\n", encoding="utf-8")
    done = program("sandbox", "run", write("program.py", "import only_there\nprint(only_there.WORD)"))
    assert done.stdout == "found\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.py"], "FILE none.py: cannot be read: No such file"),
        (["."], "does not show the language"),
        (["sum.py", "--language", "cobol"], "cobol"),
        (["notes.txt"], "Give --language: python"),
        (["latin.py"], "no python source"),
        (["sum.py", "--stdin", "none"], "--stdin none: cannot be read"),
        (["sum.py", "--expect", "none"], "--expect none: cannot be read"),
        (["sum.py", "--stdin", "/dev/zero"], "--stdin /dev/zero: is longer than 512 MiB"),
        (["sum.py", "--checker", "exact"], "give --expect FILE"),
        (["sum.py", "--memory", "lots"], "--memory lots: this is not a size. Write a number with K, M, G or T"),
        (["sum.py", "--memory", "256"], "the least is 1M. Without a unit it is bytes"),
        (["sum.py", "--memory", "9000T"], "the most is 1T"),
        (["sum.py", "--output-limit", "-1"], "this is not a size"),
        (["sum.py", "--output-limit", "5G"], "the most is 4G"),
        (["sum.py", "--wall", "0"], "not a number above 0"),
        (["sum.py", "--cpu", "nan"], "not a number above 0"),
        (["sum.py", "--repeat", "0"], "--repeat"),
        (["sum.py", "--sandbox", "chroot"], "no sandbox backend 'chroot'"),
        (["sum.py", "--image", "python:3"], "--image is for --sandbox docker"),
        (["sum.py", "--python", "/nowhere/python"], "/nowhere/python"),
        (["main.cpp", "--python", "python3"], "this is a cpp program"),
        (["sum.py", "--json", "sum.py"], "this is the program"),
        (["sum.py", "--json", "none/x.json"], "there is no folder"),
    ],
)
def test_bad_usage_is_one_clear_line(program: CommandLine, write: Write, arguments: list[str], complaint: str) -> None:
    write("sum.py", SUM)
    write("notes.txt", "")
    write("main.cpp", "")
    write("latin.py", b"print('\xe9')\n")
    done = program("sandbox", "run", *arguments)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("text", ["64k", "64K", "64KiB", "0.0625M", "65536", "65536B"])
def test_sizes_are_written_in_many_ways(program: CommandLine, write: Write, text: str) -> None:
    done = program("sandbox", "run", write("program.py", ""), "--output-limit", text, "--json", "-", "-q")
    assert document(done.stdout)["limits"]["output_bytes"] == 65_536


def test_without_a_sandbox_it_refuses(program: CommandLine, write: Write) -> None:
    done = program("sandbox", "run", write("sum.py", SUM), "--sandbox", "bubblewrap", PATH="/nowhere")
    assert done.returncode == 3
    assert "bubblewrap" in done.stderr
    assert done.stderr.startswith("error: ")


def test_a_terminal_is_safe_from_what_a_program_prints(program: CommandLine, write: Write) -> None:
    source = "print('\\x1b[2J\\x1b]0;owned\\x07' + 'x' * 100_000)"
    with program.on_terminal("sandbox", "run", write("program.py", source)) as terminal:
        terminal.expect("accepted")
        shown = str(terminal.before)
        terminal.expect(pexpect.EOF)
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "bytes left out" in shown
    assert terminal.exitstatus == 0


def descendants(pid: int) -> list[int]:
    """All processes below one; one that ends while it is looked at has none."""
    try:
        told = [task.read_text("ascii") for task in Path(f"/proc/{pid}/task").glob("*/children")]
    except (FileNotFoundError, ProcessLookupError):
        return []
    children = [int(child) for each in told for child in each.split()]
    return [found for child in children for found in (child, *descendants(child))]


def is_the_program(pid: int) -> bool:
    """Whether it is what runs in the sandbox."""
    try:
        return b"main.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("before", [[], ["--repeat", "100"]])
def test_ctrl_c_ends_it_at_once_and_leaves_nothing(
    program: CommandLine, write: Write, tmp_path: Path, before: list[str]
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ("sandbox", "run", write("forever.py", FOREVER), "--wall", "100", "--json", "x.json", *before)
    with program.on_terminal(*command, TMPDIR=str(temporary)) as terminal:
        deadline = time.monotonic() + 60
        while not any(is_the_program(child) for child in descendants(terminal.pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        children = descendants(terminal.pid)
        begin = time.monotonic()
        terminal.send("\x03")
        terminal.expect("interrupted")
        terminal.expect(pexpect.EOF)
        took_s = time.monotonic() - begin
    assert children, "nothing was running"
    assert terminal.exitstatus == 130
    assert took_s < 30  # not until the limit
    assert not [child for child in children if os.path.exists(f"/proc/{child}")]  # noqa: PTH110 - reads as it is meant
    assert list(temporary.glob("*/*")) == []
    assert not (program.home / "x.json").exists()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_traceback(program: CommandLine, write: Write, unbuffered: str) -> None:
    file = write("program.py", "print('x' * 10_000_000)")
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program.path} sandbox run {file} | head -c 1"],
        cwd=program.home,
        env=program.environment(PYTHONUNBUFFERED=unbuffered),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_told(program: CommandLine, write: Write) -> None:
    file = write("program.py", "print('x' * 1_000_000)")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [program.path, "sandbox", "run", file],
            cwd=program.home,
            env=program.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "error: stdout cannot be written: No space left on device.\n")


def test_without_a_command_the_commands_are_shown(program: CommandLine) -> None:
    done = program("sandbox")
    assert (done.returncode, done.stderr) == (2, "")
    assert {"run", "serve"} <= {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    done = program("sandbox", "rum")
    assert "Did you mean 'run'? Try 'afterburner-agent sandbox --help'." in done.stderr
