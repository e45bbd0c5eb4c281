"""Real runs whose candidates come from a real model of this machine, over HTTP, from a server that we did not write."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

KEY = "sk-local-0123456789abcdef"
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


@pytest.fixture
def program(program: CommandLine) -> CommandLine:
    """Nothing here is about time."""
    return program.untimed()


@pytest.fixture
def names(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    path = program.home / "names.py"
    path.write_text(SLOW, encoding="utf-8")
    return path


def address(model: str, url: str) -> dict[str, str]:
    """The variables that lead LiteLLM to a server for a model of this provider."""
    provider = model.partition("/")[0].rpartition(",")[2].upper()
    return {f"{provider}_API_BASE": url, f"{provider}_API_KEY": KEY}


def document_of(output: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(output)
    jsonschema.validate(document, json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8")))
    return document


@pytest.mark.nightly
def test_a_models_good_answer_becomes_an_offer(program: CommandLine, names: Path, local_server: Any) -> None:
    model = "hosted_vllm/good"
    asked = local_server.requests()
    options = ("--function", "common", "--model", model, "--iterations", "1", "--json", "-")
    done = program("run", str(names), *options, **address(model, local_server.url))
    assert done.returncode == 0, done.stderr
    document = document_of(done.stdout)
    assert document["decision"] == "improved", document["candidates"]
    assert document["model"] == model
    assert document["gain"]["low"] > 1.05
    assert "+    known = set(right)" in document["patch"]
    (candidate,) = document["candidates"]
    assert candidate["proposer"] == model
    assert local_server.requests() == asked + 2, "the rewrite, and calls to doubt it by"
    assert names.read_text("utf-8") == SLOW


@pytest.mark.nightly
def test_garbage_is_refused_with_the_reason(program: CommandLine, names: Path, local_server: Any) -> None:
    model = "openai/random"
    asked = local_server.requests()
    options = ("--function", "common", "--model", model, "--candidates", "2", "--iterations", "1", "--json", "-")
    done = program("run", str(names), *options, **address(model, local_server.url))
    assert done.returncode == 0, done.stderr
    document = document_of(done.stdout)
    assert document["decision"] != "improved"
    assert document["patch"] == ""
    assert [candidate["decision"] for candidate in document["candidates"]] == ["refused", "refused"]
    for candidate in document["candidates"]:
        assert candidate["proposer"] == model
        assert "answer" in candidate["reason"]
    assert local_server.requests() >= asked + 1
    for text in (done.stdout, done.stderr):
        assert KEY not in text
        assert "Traceback" not in text
    assert names.read_text("utf-8") == SLOW


@pytest.mark.nightly
def test_rules_and_a_model_work_on_one_function(program: CommandLine, names: Path, local_server: Any) -> None:
    model = "rules,hosted_vllm/good"
    options = ("--function", "common", "--model", model, "--iterations", "1", "--json", "-")
    done = program("run", str(names), *options, **address(model, local_server.url))
    assert done.returncode == 0, done.stderr
    document = document_of(done.stdout)
    proposers = [candidate["proposer"] for candidate in document["candidates"]]
    assert any(proposer.startswith("rules: ") for proposer in proposers)
    assert proposers[-1] == "hosted_vllm/good"
    assert document["candidates"][-1]["verdict"] == "accepted"


@pytest.mark.nightly
def test_a_model_that_the_server_does_not_have_is_one_line(
    program: CommandLine, names: Path, local_server: Any
) -> None:
    model = "hosted_vllm/absent"
    done = program(
        "run",
        str(names),
        "--function",
        "common",
        "--model",
        model,
        "--json",
        "x.json",
        **address(model, local_server.url),
    )
    assert done.returncode == 1
    problems = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(problems) == 1
    assert model in problems[0]
    assert KEY not in done.stderr
    assert not (program.home / "x.json").exists()
