"""`run FOLDER` that is killed or interrupted, and gone on with: nothing is done twice, and the caps hold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from model_server import ModelServer, StoredRequest, serving

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

LOOKING = """\
def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


def missing(known, wanted):
    result = []
    for title in wanted:
        if title not in known:
            result.append(title)
    return result
"""
TESTS = """\
from shop.looking import common, missing

LEFT = [f"name-{number}" for number in range(1200)]
RIGHT = [f"name-{number * 3}" for number in range(900)]


def test_common():
    assert len(common(LEFT, RIGHT)) == 400
    assert len(common(LEFT[100:], RIGHT)) == 366


def test_missing():
    assert len(missing(RIGHT, LEFT[:900])) == 600
    assert len(missing(RIGHT[:800], LEFT[:800])) == 533
"""


@pytest.fixture
def shop(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    folder = program.home / "project"
    for name, text in {"shop/__init__.py": "", "shop/looking.py": LOOKING, "tests/test_shop.py": TESTS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def begin(program: CommandLine, shop: Path, *words: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [program.path, "run", "shop", *words],
        cwd=shop,
        env=program.environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_until(running: subprocess.Popen[str], words: str) -> None:
    assert running.stderr is not None
    seen = []
    for line in running.stderr:
        seen.append(line)
        if words in line:
            return
    raise AssertionError("".join(seen))


def kill(running: subprocess.Popen[str]) -> None:
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def patiently(program: CommandLine, folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program.path, *words],
        cwd=folder,
        env=program.environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def kept(program: CommandLine) -> dict[str, Any]:
    """The one run that is listed."""
    [run] = json.loads(program("runs", "--json", "-").stdout)["runs"]
    assert run["kind"] == "many"
    return dict(run)


@pytest.mark.timed
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_a_killed_run_goes_on_with_its_second_target(program: CommandLine, shop: Path) -> None:
    words = ("--top", "2", "--jobs", "1", "--max-seconds", "400", "--iterations", "1", "--patch", "out")
    words += ("--json", "x.json")
    running = begin(program, shop, *words)
    read_until(running, "[2 of 2]")
    read_until(running, "profile: ")
    kill(running)
    run = kept(program)
    assert run["state"] == "interrupted"
    assert not (shop / "out").exists()
    shown = json.loads(program("show", "latest", "--json", "-").stdout)
    [first] = shown["targets"]
    assert (shown["run_id"], first["decision"]) == (run["run_id"], "improved"), first["reason"]
    told = program("show", run["run_id"])
    assert "1 of 2 targets done" in told.stdout
    assert f"`afterburner-agent resume {run['run_id']}` continues it." in told.stdout
    part = program("resume", f"{run['run_id']}.02")
    assert (part.returncode, f"resume {run['run_id']}`" in part.stderr) == (2, True), part.stderr

    done = patiently(program, program.home, "resume", "latest")
    assert done.returncode == 0, done.stderr
    assert "[1 of 2]" not in done.stderr
    assert "profiling the project" not in done.stderr
    assert f"resuming run {run['run_id']}.02" in done.stderr
    document = json.loads((shop / "x.json").read_text("utf-8"))
    assert [target["decision"] for target in document["targets"]] == ["improved", "improved"], done.stderr
    assert document["targets"][0] == first
    assert document["tests"]["green"] is True
    names = {target["patch_file"] for target in document["targets"]}
    assert {path.name for path in (shop / "out").iterdir()} == {*names, "all.patch"}
    assert kept(program)["state"] == "finished"

    applied = program("resume", "latest", "--apply", "--yes", folder=shop)
    assert applied.returncode == 0, applied.stderr
    assert "[2 of 2]" not in applied.stderr
    text = (shop / "shop" / "looking.py").read_text("utf-8")
    assert "if name in right:" not in text
    assert program("resume", "latest", "--apply", "--yes", folder=shop).returncode == 0, "it is written already"
    assert (shop / "shop" / "looking.py").read_text("utf-8") == text


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_caps_hold_over_a_kill_and_each_run_tells_its_own_use(program: CommandLine, shop: Path) -> None:
    def answer(asked: StoredRequest, number: int) -> str:
        if number == 3:
            time.sleep(1000.0)
        name, arguments = ("common", "left, right") if "def common" in asked.prompt else ("missing", "known, wanted")
        code = f"def {name}({arguments}):\n    return [{number}]\n"
        return f"<solution>```python\n{code}```</solution>"

    options = (
        "--top",
        "2",
        "--jobs",
        "1",
        "--max-seconds",
        "400",
        "--iterations",
        "2",
        "--context-tokens",
        "0",
        "--tell",
        "no-feedback",
    )
    model = ("--model", "openai/gpt-4o-mini", "--max-requests", "4", "--record", "answers.jsonl", "--json", "x.json")
    with serving(ModelServer(answer, gives_several=False)) as server:
        variables = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "sk-0123456789"}
        program = program.untimed()
        running = begin(program, shop, *options, *model, **variables)
        while len(server.asked) < 3:
            assert running.poll() is None, running.communicate()
            time.sleep(0.1)
        kill(running)
        assert len((shop / "answers.jsonl").read_text("utf-8").splitlines()) == 2
        done = patiently(program, shop, "resume", kept(program)["run_id"], **variables)
        assert done.returncode == 0, done.stderr
        assert len(server.asked) == 4, done.stderr
    document = json.loads((shop / "x.json").read_text("utf-8"))
    assert document["usage"]["requests"] == 4
    assert document["usage"]["lost"]["requests"] == 1
    own = [target["run"]["usage"] for target in document["targets"]]
    assert [usage["requests"] for usage in own] == [2, 2]
    assert [usage["lost"]["requests"] for usage in own] == [0, 1]
    assert len((shop / "answers.jsonl").read_text("utf-8").splitlines()) == 3


def test_ctrl_c_says_how_to_go_on(program: CommandLine, shop: Path) -> None:
    running = begin(program, shop, "--top", "2", "--max-seconds", "400")
    read_until(running, "[1 of 2]")
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=120)
    assert running.returncode == 130
    assert f"`afterburner-agent resume {kept(program)['run_id']}` continues this run." in error
