"""`afterburner-agent run` as a person meets it: real files, the real sandbox, real terminals."""

from __future__ import annotations

import json
import os
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pexpect
import pytest

from .traces import read_trace

if TYPE_CHECKING:
    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

SLOW = '''\
"""Names that two lists share."""


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:  # slow
            result.append(name)
    return result


if __name__ == "__main__":
    left = [f"name-{number}" for number in range(1200)]
    right = [f"name-{number * 3}" for number in range(800)]
    print(len(common(left, right)), common(right[:400], left[::2])[:4])
    print(len(common(left[100:1100], right[:700])), len(common(left[::2], right[::3])))
    print(common([], right), common(["a", "b", "a"], ["a"]))
'''
FAST = '''\
def common(left, right):
    """Keep the order of the left."""
    known = set(right)
    return [name for name in left if name in known]
'''
WRONG = """\
def common(left, right):
    return sorted(set(left) & set(right))
"""


@pytest.fixture
def project(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    folder = program.home / "shop"
    folder.mkdir()
    (folder / "names.py").write_text(SLOW, encoding="utf-8")
    answers = [
        {"content": f"<thinking>\nA set.\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"}
        for code in (WRONG, FAST)
    ]
    recording = "".join(json.dumps(answer) + "\n" for answer in answers)
    (folder / "answers.jsonl").write_text(recording, encoding="utf-8")
    return folder


REPLAY = ("--model", "replay:answers.jsonl", "--candidates", "2", "--iterations", "1")


@pytest.mark.timed
def test_a_run_in_a_pipe(program: CommandLine, project: Path) -> None:
    outputs = ("--json", "-", "--patch", "x", "--trace", "t.pftrace")
    done = program("run", "names.py", "--function", "common", *REPLAY, *outputs, folder=project)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8")))
    assert document["decision"] == "improved", document["candidates"]
    assert document["gain"]["low"] > 1.05
    assert [candidate["decision"] for candidate in document["candidates"]] == ["wrong", "improved"]
    assert document["target"] == {"file": str(project / "names.py"), "function": "common", "language": "python"}
    assert (project / "x").read_text("utf-8") == document["patch"]
    assert (project / "names.py").read_text("utf-8") == SLOW
    assert "\x1b" not in done.stderr
    _check_trace((project / "t.pftrace").read_bytes(), document)
    for shown in ("profile: ", "Improved", "+    known = set(right)", "Why not:", "1.1 wrong: ", "--apply"):
        assert shown in done.stderr, shown


def _check_trace(trace: bytes, document: dict[str, Any]) -> None:
    """The steps of the run fill its time, in the trace as in the table of the JSON; the sandbox ran within them."""
    stages = document["stages"]
    assert {"staging", "replaying_calls", "judging", "confirming"} <= {each["step"] for each in stages}
    assert 0.8 * document["elapsed_s"] < sum(each["seconds"] for each in stages) <= document["elapsed_s"]
    tracks = {track.name: track.spans for track in read_trace(trace)}
    assert {"steps", "sandbox", "model"} <= tracks.keys()
    assert any(name.startswith("core ") for name in tracks)
    steps = [f"{each['stage']}: {each['step']}" for each in stages]
    assert list(dict.fromkeys(span.name for span in tracks["steps"])) == steps
    # What runs beside something else is in a row of its own.
    in_sandbox = [span for name, spans in tracks.items() if name.startswith("sandbox") for span in spans]
    assert {"judge", "duel", "start container"} <= {span.name for span in in_sandbox}
    assert all(span.facts["step"] in steps for span in in_sandbox if "step" in span.facts)
    for secret in (b"/names.py", b"known", b"name-"):
        assert secret not in trace, "neither code nor paths are in it"


@pytest.mark.nightly
def test_a_run_with_settings_of_every_layer(program: CommandLine, project: Path) -> None:
    table = "[tool.afterburner]\niterations = 3\nmin-effect = 0.2\nseed = 5\nquiet = true\n"
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    (project / "result.json").write_text("of the run before", encoding="utf-8")
    done = program.untimed()(
        "run", "names.py", "--iterations", "1", "--json", "result.json",
        folder=project, AFTERBURNER_MODEL="replay:answers.jsonl", AFTERBURNER_SEED="7", AFTERBURNER_MAX_SECONDS="200",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((project / "result.json").read_text("utf-8"))
    search, proof = (document["settings"][group] for group in ("search", "proof"))
    assert (search["iterations"], search["seed"], search["max_seconds"]) == (1, 7, 200.0)
    assert (document["settings"]["models"]["model"], proof["min_effect"]) == ("replay:answers.jsonl", 0.2)
    assert proof["min_effect_source"] == str(project / "pyproject.toml")
    assert "a gain has to be proven above 1.20x" in done.stdout
    assert "result.json: a result is written there" in done.stdout, "or a second run would find another project"


@pytest.mark.floor
def test_a_run_on_a_terminal_that_is_applied(program: CommandLine, project: Path) -> None:
    with program.untimed().on_terminal("run", "names.py", *REPLAY, "--apply", folder=project) as terminal:
        terminal.expect("nothing better yet")
        terminal.expect("Improved")
        terminal.expect(r"\[y/N\] ")
        terminal.send("y\r")
        terminal.expect("Written to names.py")
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 0
    written = (project / "names.py").read_text("utf-8")
    assert "known = set(right)" in written
    assert written.endswith(SLOW[SLOW.index("if __name__") :])


def descendants(pid: int) -> set[int]:
    """Give the processes below one, by the parents that /proc names."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found = {pid}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {pid}


def test_ctrl_c_in_the_middle_leaves_nothing_behind(program: CommandLine, project: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run = ("run", "names.py", *REPLAY, "--apply", "--json", "x.json", "--patch", "x.patch")
    with program.on_terminal(*run, folder=project, TMPDIR=str(temporary)) as terminal:
        terminal.expect("profile: ")
        deadline = time.monotonic() + 30
        while not (children := descendants(terminal.pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        terminal.send("\x03")
        terminal.expect("interrupted")
        shown = str(terminal.before)
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert children, "nothing was running"
    assert terminal.exitstatus == 130
    assert "Traceback" not in shown
    assert shown.rindex("\x1b[?25h") > shown.rfind("\x1b[?25l")
    assert not [child for child in children if os.path.exists(f"/proc/{child}")]  # noqa: PTH110 - reads as it is meant
    assert list(temporary.glob("*/*")) == []  # the user's one folder for runs stays, and is empty
    assert sorted(path.name for path in project.iterdir()) == ["answers.jsonl", "names.py"]
    assert (project / "names.py").read_text("utf-8") == SLOW


BAD_FILES = {
    "broken.py": b"def f(:\n",
    "empty.py": b"",
    "binary.py": b"\xff\xfe\x00x = '\x80'\n",
    "lonely.py": b"def f(connection):\n    return connection.fetch()\n",
    "failing.py": b"def f(x):\n    return x\n\nif __name__ == '__main__':\n    raise SystemExit('no luck')\n",
    "torn.jsonl": b'{"content": \n',
    "recording.jsonl": b"",
}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["none.py"], 2),
        (["."], 4),
        (["broken.py"], 2),
        (["empty.py"], 2),
        (["binary.py"], 2),
        (["names.py", "--function", "uncommon"], 2),
        (["names.py", "--calls", "none.py"], 2),
        (["names.py", "--cases", "none"], 2),
        (["names.py", "--python", "/nowhere/python"], 2),
        (["names.py", "--receipt", "r.json", "--deterministic"], 2),
        (["names.py", "--html", "/proc/page.html"], 2),
        (["names.py", "--model", "unheard-of"], 2),
        (["names.py", "--model", "openai/gpt-5"], 1),
        (["names.py", "--model", "replay:none.jsonl"], 2),
        (["names.py", "--model", "opanai/gpt-5"], 2),
        (["names.py", "--model", "rules,rule"], 2),
        (["names.py", "--model", "replay:torn.jsonl"], 1),
        (["lonely.py", "--function", "f"], 4),
        (["failing.py", "--function", "f"], 4),
    ],
)
def test_bad_input_is_one_clear_line(program: CommandLine, project: Path, arguments: list[str], code: int) -> None:
    for name, content in BAD_FILES.items():
        (project / name).write_bytes(content)
    done = program("run", *arguments, "--json", "x.json", folder=project)
    assert done.returncode == code, done.stderr
    problems = [line for line in done.stderr.splitlines() if not line.startswith("[0:")]
    assert problems[0].startswith("error: ")
    assert "unexpected" not in problems[0]
    assert len(problems) == 1 or code == 4, done.stderr  # what was tried for a workload is listed below the line
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (project / "x.json").exists()
