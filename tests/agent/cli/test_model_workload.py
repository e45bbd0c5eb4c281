"""A function that nothing calls: the language model writes the workload, and whoever reads the offer is told so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, StoredRequest, serving

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from conftest import CommandLine


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("sandbox")]

MODEL = "openai/gpt-4o-mini"
SLOW = """\
def distinct(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
"""
FAST = """\
def distinct(items):
    try:
        return list(dict.fromkeys(items))
    except TypeError:
        return [item for at, item in enumerate(items) if item not in items[:at]]
"""
CALLS = """\
distinct([3, 1, 3])
for size in (20, 200, 210, 220):
    distinct([7 * number % size for number in range(2 * size)])
"""


def answer(asked: StoredRequest, _number: int) -> str:
    if "Nothing in the project calls" in asked.prompt:
        return f"<thinking>Lists.</thinking>\n```python\n{CALLS}```\n"
    if "## Version B" in asked.prompt:
        return "```python\ndistinct([1, 1])\n```"
    return f"<thinking>A dictionary.</thinking><solution>\n```python\n{FAST}```\n</solution>"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(ModelServer(answer)) as running:
        yield running


@pytest.fixture
def program(program: CommandLine, server: ModelServer) -> CommandLine:
    (program.home / "names.py").write_text(SLOW, encoding="utf-8")
    return replace(program.untimed(), variables={"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "none"})


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(words)


def asked_for_calls(server: ModelServer) -> int:
    return sum("Nothing in the project calls" in asked.prompt for asked in server.asked)


@pytest.mark.nightly
def test_an_offer_on_calls_of_a_model_says_so_and_a_killed_run_asks_for_them_once(
    program: CommandLine, server: ModelServer
) -> None:
    options = ("--function", "distinct", "--iterations", "1", "--model", MODEL, "--record", "answers.jsonl")
    run = program.start("run", "names.py", *options, "--json", "result.json", "--receipt", "receipt.json")
    read_until(run, f"using 5 calls written by {MODEL}")
    run.kill()
    run.communicate()
    done = program("resume", "latest")
    assert done.returncode == 0, done.stderr
    assert asked_for_calls(server) == 1
    label = f"5 calls written by {MODEL}"
    assert f"workload: {label}" in " ".join(done.stdout.split())
    assert "none is from your project" in " ".join(done.stdout.split())
    assert f"Calls written by {MODEL}" in done.stdout
    assert "    distinct([3, 1, 3])" in done.stdout
    document = json.loads((program.home / "result.json").read_text("utf-8"))
    assert document["decision"] == "improved"
    assert label in document["summary"]
    assert document["workload"]["from_project"] is False
    assert document["workload"]["written"] == {"model": MODEL, "code": CALLS.strip()}
    assert {"origin": f"written by {MODEL}", "inputs": 5} in document["workload"]["origins"]
    assert document["usage"]["requests"] == 3
    receipt = json.loads((program.home / "receipt.json").read_text("utf-8"))
    assert {each["origin"] for each in receipt["inputs"]} == {f"written by {MODEL}", "derived"}
    lines = [json.loads(line) for line in (program.home / "answers.jsonl").read_text("utf-8").splitlines()]
    assert [(line["iteration"], line.get("workload"), line.get("doubted")) for line in lines] == [
        (0, True, None),
        (1, None, None),
        (1, None, "1.1"),
    ]
    again = program(
        "run", "names.py", *options[:4], "--model", "replay:answers.jsonl", "--json", "again.json", OPENAI_API_BASE=""
    )
    assert again.returncode == 0, again.stderr
    replayed = json.loads((program.home / "again.json").read_text("utf-8"))
    assert replayed["workload"]["written"] == {"model": "replay:answers.jsonl", "code": CALLS.strip()}
    assert len(server.asked) == 3


@pytest.mark.nightly
def test_an_answer_of_no_use_ends_with_what_stands_in_the_way(program: CommandLine, server: ModelServer) -> None:
    server.answer = lambda _asked, _number: "```python\ndistinct(3)\n```"
    done = program("run", "names.py", "--function", "distinct", "--model", MODEL)
    assert done.returncode == 4
    assert f"written by {MODEL}: 0 calls can be used, and it takes at least 3" in done.stderr
    assert "TypeError: 'int' object is not iterable" in done.stderr
    assert len(server.asked) == 1
    done = program("run", "names.py", "--function", "distinct", "--model", MODEL, "--no-model-workload")
    assert done.returncode == 4
    assert "leave out --no-model-workload" in done.stderr
    assert len(server.asked) == 1
