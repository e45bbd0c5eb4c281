"""`run FOLDER` as a person meets it: a real repository with tests, the real sandbox, real signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

LOOKING = '''\
"""Looks things up in lists."""

import os


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


def tokens(left, right):
    """Differs each time, so that nothing can be judged on it."""
    found = [name for name in left if name in right]
    return found, os.urandom(8)


def missing(known, wanted):
    """What is not known."""
    result = []
    for title in wanted:
        if title not in known:
            result.append(title)
    return result
'''
COUNTING = '''\
"""Counts."""


def twice(left, right):
    """How many are in both."""
    total = 0
    for name in left:
        if name in right:
            total += 1
    return total
'''
TESTS = """\
from shop.counting import twice
from shop.looking import common, missing, tokens

LEFT = [f"name-{number}" for number in range(1200)]
RIGHT = [f"name-{number * 3}" for number in range(900)]


def test_common():
    assert len(common(LEFT, RIGHT)) == 400
    assert len(common(LEFT[100:], RIGHT)) == 366
    assert common(["a", "b"], ["b"]) == ["b"]


def test_tokens():
    assert len(tokens(LEFT, RIGHT)[0]) == 400


def test_missing():
    assert len(missing(RIGHT, LEFT)) == 800
    assert len(missing(RIGHT[:800], LEFT)) == 800


def test_twice():
    assert twice(LEFT, RIGHT) == 400
    assert twice(LEFT[:1100], RIGHT) == 367


def test_that_fails():
    assert twice([], []) == 1
"""


@pytest.fixture
def shop(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    folder = program.home / "project"
    texts = {
        "shop/__init__.py": "",
        "shop/looking.py": LOOKING,
        "shop/counting.py": COUNTING,
        "tests/test_shop.py": TESTS,
        "app.py": "from shop.counting import twice\n\nfor size in (800, 700, 3):\n"
        "    print(twice(list(range(size)), list(range(0, size * 2, 2))))\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=shop", "-c", "user.email=shop@example.org", "commit", "-qm", "shop")
    return folder


def git(folder: Path, *words: str) -> None:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def patiently(program: CommandLine, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it with time for several targets; on a quiet machine it needs a fraction of it."""
    return subprocess.run(
        [program.path, *words],
        cwd=folder,
        env=program.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=850,
        check=False,
    )


def passing(folder: Path) -> int:
    """How many of its tests pass, by pytest itself."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"(\d+) passed", done.stdout)
    return int(found[1]) if found else 0


def document_of(text: str) -> dict[str, Any]:
    """The JSON, with every document in it checked against its schema."""
    document: dict[str, Any] = json.loads(text)
    folder = files("afterburner.agent.cli")
    jsonschema.validate(document, json.loads((folder / "many-schema.json").read_text("utf-8")))
    for target in document["targets"]:
        if target["run"] is not None:
            jsonschema.validate(target["run"], json.loads((folder / "run-schema.json").read_text("utf-8")))
    return document


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_folder_is_worked_through(program: CommandLine, shop: Path) -> None:
    words = ("run", "shop", "--top", "4", "--iterations", "1", "--max-seconds", "600", "--patch", "out", "--json", "-")
    done = patiently(program.untimed(), shop, *words, "--html", "page.html")
    assert done.returncode == 0, done.stderr
    document = document_of(done.stdout)
    found = {target["function"]: target for target in document["targets"]}
    assert found["tokens"]["decision"] == "failed", "no two calls of it are alike"
    assert "no usable calls" in found["tokens"]["reason"]
    improved = [target for target in document["targets"] if target["decision"] == "improved"]
    assert {target["function"] for target in improved} == {"common", "missing", "twice"}, done.stderr
    assert document["tests"]["green"] is True
    assert document["tests"]["failing"] == ["tests/test_shop.py::test_that_fails"]
    page = (shop / "page.html").read_text("utf-8")
    assert "<p>3 of 4 functions improved.</p>" in page
    assert all(f"<h2>{target['function']}</h2>" in page for target in improved)
    assert page.count("<section") == page.count("<strong>Improved:</strong>") == 3
    assert "<p>tokens: failed, " in page
    names = [target["patch_file"] for target in improved]
    assert sorted(names) == sorted(os.listdir(shop / "out"))[:3]  # noqa: PTH208 - names
    assert names[0].startswith("01-shop.")
    for name in names:
        git(shop, "apply", f"out/{name}")
        git(shop, "checkout", "-q", "shop")
    for name in names:
        git(shop, "apply", f"out/{name}")
    in_order = {path.name: path.read_text() for path in (shop / "shop").glob("*.py")}
    assert passing(shop) == 4
    git(shop, "checkout", "-q", "shop")
    git(shop, "apply", "out/all.patch")
    assert {path.name: path.read_text() for path in (shop / "shop").glob("*.py")} == in_order


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.nightly
def test_a_command_gives_the_inputs_and_apply_writes(program: CommandLine, shop: Path) -> None:
    words = ("run", "shop", "--max-seconds", "400", "--apply", "--yes", "--json", "x.json", "--", "python", "app.py")
    done = patiently(program, shop, *words)
    assert done.returncode == 0, done.stderr
    document = document_of((shop / "x.json").read_text())
    [target] = document["targets"]
    assert (target["function"], target["decision"]) == ("twice", "improved"), target["reason"]
    assert target["run"]["workload"]["origins"][0]["origin"] == "captured from the command"
    assert target["run"]["offer"]["applied"] is True
    assert document["command"] == ["app.py"]
    assert document["tests"]["green"] is True
    assert "if name in right:" not in (shop / "shop" / "counting.py").read_text()
    assert (shop / "shop" / "looking.py").read_text() == LOOKING
    assert "twice" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ctrl_c_keeps_what_is_done(program: CommandLine, shop: Path) -> None:
    """In turns, the first target fails quickly; the interrupt comes during the second."""
    (shop / "shop" / "looking.py").write_text(LOOKING.replace("result = []", "result = [*os.urandom(0)]"))
    command = [program.untimed().path, "run", "shop", "--iterations", "1", "--max-seconds", "600", "--apply", "--yes"]
    command += ["--json", "x.json", "--patch", "out", "--jobs", "1"]
    with subprocess.Popen(
        command, cwd=shop, env=program.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "[2 of" in line:
                running.send_signal(signal.SIGINT)
                break
        out, error = running.communicate(timeout=120)
    assert running.returncode == 130, error
    assert error.endswith("interrupted\n")
    document = document_of((shop / "x.json").read_text())
    assert document["interrupted"] is True
    decisions = [target["decision"] for target in document["targets"] if target["decision"] != "nothing_to_propose"]
    assert len(decisions) == 2
    assert decisions[0] != "interrupted"
    assert decisions[1] == "interrupted"
    assert "interrupted" in out
    assert (shop / "shop" / "counting.py").read_text() == COUNTING, "an interrupted run writes no code"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("shop", "--function", "common"), "--function is for one target"),
        (("shop", "--receipt", "x.json"), "--receipt is for one target"),
        (("shop", "--patch", "-"), "name a folder"),
        (("shop", "--patch", "tests/test_shop.py"), "name a folder"),
        (("shop", "--", "make", "test"), "python SCRIPT.py"),
        (("nowhere", "--top", "3"), "No such file or folder"),
        (("shop", "--record", "-"), "--record needs a file"),
        (("shop", "--record", "no/folder/answers.jsonl"), "there is no folder"),
        (("shop", "--record", "shop"), "this is what is to be optimised"),
        (("shop", "--record", "shop/looking.py"), "--record shop/looking.py: this is Python code"),
        (("shop", "--record", "answers.jsonl"), "--record answers.jsonl: this is Python code"),
        (("shop", "--json", "tests/test_shop.py"), "--json tests/test_shop.py: this is Python code"),
        (("shop", "--html", "tests/test_shop.py"), "--html tests/test_shop.py: this is Python code"),
        (("shop/looking.py", "--top", "2", "--record", "shop/looking.py"), "this is what is to be optimised"),
        (("shop", "--record", "x.jsonl", "--json", "./x.jsonl"), "--json and --record name the same place"),
        (("shop", "--patch", "tests", "--record", "tests/all.patch"), "a patch of --patch may get this name"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(
    program: CommandLine, shop: Path, words: tuple[str, ...], told: str
) -> None:
    (shop / "answers.jsonl").symlink_to(shop / "shop" / "counting.py")
    done = program("run", *words, folder=shop)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert (shop / "shop" / "looking.py").read_text() == LOOKING
    assert (shop / "shop" / "counting.py").read_text() == COUNTING
