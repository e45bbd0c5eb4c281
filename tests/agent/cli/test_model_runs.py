"""Runs with a language model through the real command line, over HTTP, with what goes wrong on the way."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import ModelServer, StoredRequest, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

SLOW = """\
def common(left, right):
    return [name for name in left if name in list(right)]


if __name__ == "__main__":
    left = [f"name-{number}" for number in range(600)]
    right = [f"name-{number * 3}" for number in range(400)]
    print(len(common(left, right)), common(right[:200], left[::2])[:4])
    print(len(common(left[100:500], right[:300])), common([], right))
"""
KEY = "sk-very-secret-0123456789"
MODEL = "openai/gpt-4o-mini"
SCHEMA = json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8"))


def answer(asked: StoredRequest, number: int) -> str:
    """A wrong rewrite, for there is nothing to time; it mentions the key that it was sent."""
    return answer_with(f"return [{number}]", asked, number)


def right_answer(asked: StoredRequest, number: int) -> str:
    """The same with a right rewrite."""
    return answer_with("known = set(right)\n    return [name for name in left if name in known]", asked, number)


def answer_with(body: str, asked: StoredRequest, number: int) -> str:
    code = f"def common(left, right):\n    # answer {number}\n    {body}\n"
    return f"<thinking>{asked.headers['Authorization']}</thinking><solution>```python\n{code}```</solution>"


@pytest.fixture
def program(program: CommandLine) -> CommandLine:
    """Nothing here is about time."""
    return program.untimed()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(ModelServer(answer, gives_several=False)) as running:
        yield running


@pytest.fixture
def project(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    path = program.home / "names.py"
    path.write_text(SLOW)
    return path


def start(program: CommandLine, url: str, *options: str) -> tuple[int, str, dict[str, object]]:
    """Run to the end; gives the exit code, stderr and the JSON."""
    (program.home / "result.json").unlink(missing_ok=True)
    done = program(
        "run", "names.py", "--function", "common", "--iterations", "2", "--json", "result.json", *options,
        OPENAI_API_BASE=url, OPENAI_API_KEY=KEY,
    )  # fmt: skip
    assert "Traceback" not in done.stderr + done.stdout
    assert KEY not in done.stderr + done.stdout
    result = program.home / "result.json"
    document = json.loads(result.read_text()) if result.exists() else {}
    if document:
        jsonschema.validate(document, SCHEMA)
        assert done.returncode == 0, done.stderr
    return done.returncode, done.stderr + done.stdout, document


def told_of(document: dict[str, object]) -> list[tuple[str, str]]:
    candidates = document["candidates"]
    assert isinstance(candidates, list)
    return [(candidate["id"], candidate["verdict"]) for candidate in candidates]


@pytest.mark.floor
def test_a_recorded_run_can_be_replayed_and_no_secret_is_left_anywhere(
    program: CommandLine, project: Path, server: ModelServer
) -> None:
    code, shown, first = start(program, server.url, "--model", MODEL, "--candidates", "3", "--record", "answers.jsonl")
    assert code == 0, shown
    usage = first["usage"]
    assert isinstance(usage, dict)
    assert usage["requests"] == len(server.asked) == 6
    assert usage["cost_usd"] == pytest.approx(server.prompt_tokens * 1.5e-07 + server.completion_tokens * 6e-07)
    assert usage["prompt_tokens"] == server.prompt_tokens
    assert re.search(r"generate: openai/gpt-4o-mini answered \(1 request, [\d,]+ tokens, \$0\.000", shown)
    assert "Model use" in shown
    assert [identity for identity, _ in told_of(first)] == [f"{i}.{n}" for i in (1, 2) for n in (1, 2, 3)]

    code, shown, again = start(program, "http://127.0.0.1:9/v1", "--model", "replay:answers.jsonl", "--candidates", "3")
    assert code == 0, shown
    assert told_of(again) == told_of(first)
    assert again["usage"] is None
    assert len(server.asked) == 6

    left = [path for path in program.home.rglob("*") if path.is_file()]
    assert {"answers.sqlite", "answers.jsonl", "runs.sqlite", "result.json"} <= {path.name for path in left}
    assert [path for path in left if KEY.encode() in path.read_bytes()] == []
    assert project.read_text() == SLOW


@pytest.mark.usefixtures("project")
def test_without_a_server_a_run_ends_before_it_uses_the_sandbox(program: CommandLine) -> None:
    with serving(ModelServer(answer)) as gone:
        url = gone.url
    code, shown, document = start(program, url, "--model", MODEL, "--retries", "1")
    assert (code, document) == (1, {})
    wait, error = shown.splitlines()[-2:]
    address = url.removeprefix("http://")
    reason = f"{MODEL} cannot be used. Its server cannot be reached: check its address, {address}, and the network."
    assert re.fullmatch(rf"\[0:\d\d\] generate: {re.escape(reason)} \(.*\) Trying again in \d seconds\..*", wait)
    assert error.startswith(f"error: {reason}")
    assert "staging" not in shown
    assert json.loads(program("runs", "--json", "-").stdout)["runs"] == []


@pytest.mark.usefixtures("project")
def test_a_prompt_without_figures_may_be_answered_from_the_store_without_a_server(program: CommandLine) -> None:
    with serving(ModelServer(answer)) as gone:
        url = gone.url
    code, shown, _ = start(program, url, "--model", MODEL, "--retries", "0", "--tell", "no-feedback")
    assert code == 1
    assert "measuring the original" in shown, "the request decides whether a server is needed"


@pytest.mark.nightly
def test_what_was_found_before_a_cap_is_confirmed_and_the_cap_is_told(program: CommandLine, project: Path) -> None:
    options = ("--model", MODEL, "--candidates", "2", "--max-requests", "3", "--iterations", "5")
    with serving(ModelServer(right_answer, gives_several=False)) as server:
        code, shown, document = start(program, server.url, *options)
    assert code == 0, shown
    assert len(server.asked) == 3
    usage = document["usage"]
    assert isinstance(usage, dict)
    assert "--max-requests" in usage["cap_reached"]
    assert "confirm: testing 1.1" in shown
    assert "the model was not asked further: the cap of 3 requests (--max-requests) is reached" in shown
    assert project.read_text() == SLOW


@pytest.mark.usefixtures("project")
@pytest.mark.nightly
def test_a_run_gets_over_what_passes(program: CommandLine, server: ModelServer) -> None:
    plan = {
        1: Fault(Kind.STATUS, 429, headers={"Retry-After": "1"}), 2: Fault(Kind.STATUS), 4: Fault(Kind.HANG_UP),
        5: Fault(Kind.HALF),
    }  # fmt: skip
    with serving(FaultProxy(server.url, plan)) as proxy:
        code, shown, document = start(program, proxy.url, "--model", MODEL)
    assert code == 0, shown
    assert [identity for identity, _ in told_of(document)] == ["1.1", "2.1"]
    usage = document["usage"]
    assert isinstance(usage, dict)
    assert usage["requests"] == len(proxy.arrived) == 6
    assert usage["lost"]["requests"] == 3
    assert shown.count("Trying again in") == 4


@pytest.mark.usefixtures("project")
@pytest.mark.nightly
def test_a_model_that_fails_after_its_first_answer_costs_nothing_that_was_found(
    program: CommandLine, server: ModelServer
) -> None:
    with serving(FaultProxy(server.url, lambda number: Fault(Kind.HTML) if number > 1 else None)) as proxy:
        code, shown, document = start(program, proxy.url, "--model", MODEL, "--retries", "1")
    assert code == 0, shown
    assert told_of(document)[1] == ("2.1", None)
    assert "2.1 refused: openai/gpt-4o-mini cannot be used" in shown


@pytest.mark.usefixtures("project")
@pytest.mark.nightly
def test_a_model_that_fails_at_once_is_one_clear_line(program: CommandLine, server: ModelServer) -> None:
    with serving(FaultProxy(server.url, lambda _: Fault(Kind.HTML))) as proxy:
        code, shown, document = start(program, proxy.url, "--model", MODEL, "--max-requests", "2")
    assert code == 1
    assert document == {}
    (error,) = [line for line in shown.splitlines() if line.startswith("error: ")]
    assert "gave no usable answer" in error
    assert "--max-requests" in error
    assert "afterburner-agent resume" not in shown, "its requests are used up"


@pytest.mark.nightly
@pytest.mark.usefixtures("project")
def test_who_mends_what_failed_goes_on_with_the_run_that_was_prepared(
    program: CommandLine, server: ModelServer
) -> None:
    variables = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": KEY}
    with serving(FaultProxy(server.url, lambda _: Fault(Kind.STATUS, 401))) as proxy:
        options = ("--iterations", "1", "--json", "result.json")
        code, shown, _ = start(program, proxy.url, "--model", MODEL, *options)
    assert code == 1
    assert "Check the key" in shown
    (hint,) = [line for line in shown.splitlines() if "continues this run" in line]
    done = program(*hint.partition("`afterburner-agent ")[2].partition("`")[0].split(), **variables)
    assert done.returncode == 0, done.stderr
    assert "resuming run" in done.stderr
    assert len(server.asked) == 1
    code, shown, _ = start(program, server.url, "--model", "replay:absent.jsonl")
    assert code == 2
    assert "No such recording" in shown
    assert "continues this run" not in shown, "nothing was prepared that could be gone on with"


@pytest.mark.usefixtures("project")
def test_a_cap_of_money_needs_a_price(program: CommandLine, server: ModelServer) -> None:
    code, shown, _ = start(program, server.url, "--model", "openai/nobody-knows", "--max-cost", "1")
    assert code == 1
    assert "price of openai/nobody-knows is not known" in shown
    assert server.asked == []


@pytest.mark.nightly
@pytest.mark.usefixtures("project")
def test_a_model_without_a_price_costs_unknown_and_never_nothing(program: CommandLine, server: ModelServer) -> None:
    code, shown, document = start(
        program, server.url, "--model", "openai/nobody-knows", "--max-tokens", "50000", "--iterations", "1"
    )
    assert code == 0, shown
    usage = document["usage"]
    assert isinstance(usage, dict)
    assert usage["cost_usd"] is None
    assert "cost unknown" in shown
    assert "$" not in shown


def test_a_recording_has_a_place_of_its_own(program: CommandLine, project: Path) -> None:
    for options in (("--record", "-"), ("--record", "names.py"), ("--record", "x", "--patch", "x")):
        done = program("run", str(project), "--model", "rules", *options)
        assert done.returncode == 2, options
        assert "--record" in done.stderr
