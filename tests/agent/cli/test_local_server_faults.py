"""Real runs against a real local server, over HTTP, with all that can go wrong on the way: an honest end each time.

All go on with one run that was prepared once, each with a copy of what is kept of it. `make test` tries a few kinds of
fault, and `make test-nightly` the others: `models/requests/test_faults.py` has them all in the process.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import jsonschema
import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from _pytest.mark.structures import ParameterSet
    from conftest import CommandLine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KEY = "sk-local-0123456789abcdef"
MODEL = "hosted_vllm/good"  # answers at once, and for another function: nothing has to be timed
TIMEOUT_S = 8
EARLIER = 1  # request, of the run that all go on with
FROM_THE_START = {Kind.HANG_UP, Kind.CUT_JSON}
EVERY_DAY = {Kind.HANG_UP, Kind.SILENCE, Kind.ENDLESS}
SOURCE = """\
def total(n):
    return sum(range(n))


if __name__ == "__main__":
    print([total(n) for n in (10, 20, 30, 40)])
"""


@dataclass(frozen=True)
class Spoiled:
    """A fault of every request from some number on, with one retry, and what has to come of it."""

    fault: Fault
    tries: int
    lost: int
    words: str


FAILED = "Its server failed or gave no usable answer"
LATE = f"It did not answer within {TIMEOUT_S} s"
SPOILED = [
    Spoiled(Fault(Kind.STATUS, 500), 2, 2, FAILED),
    Spoiled(Fault(Kind.STATUS, 429, headers={"Retry-After": "1"}), 2, 0, "Wait, or ask for fewer candidates"),
    Spoiled(Fault(Kind.STATUS, 401), 1, 0, "Check the key"),
    Spoiled(Fault(Kind.HANG_UP), 2, 2, FAILED),
    Spoiled(Fault(Kind.SILENCE), 1, 1, LATE),
    Spoiled(Fault(Kind.ENDLESS), 1, 1, "response is longer than 64 MiB"),
    Spoiled(Fault(Kind.LOST), 2, 2, FAILED),
    Spoiled(Fault(Kind.HALF), 2, 2, FAILED),
    Spoiled(Fault(Kind.CUT_JSON), 2, 2, FAILED),
    Spoiled(Fault(Kind.HTML), 2, 2, FAILED),
    Spoiled(Fault(Kind.OTHER_JSON), 2, 2, FAILED),
    Spoiled(Fault(Kind.NO_CHOICES), 1, 0, "holds no answer"),
    Spoiled(Fault(Kind.TRICKLE, delay_s=0.1), 1, 1, LATE),
    Spoiled(Fault(Kind.LATE, delay_s=60), 1, 1, LATE),
]


def name_of(value: Spoiled) -> str:
    return f"{value.fault.kind.name}-{value.fault.status}" if value.fault.kind is Kind.STATUS else value.fault.kind.name


def as_parameters(spoiled: Iterable[Spoiled]) -> list[ParameterSet]:
    return [
        pytest.param(each, id=name_of(each), marks=[] if each.fault.kind in EVERY_DAY else pytest.mark.nightly)
        for each in spoiled
    ]


@dataclass(frozen=True)
class Ended:
    """What a run left behind."""

    code: int
    shown: str
    document: dict[str, Any] | None
    arrived: int
    ledger: Counter[str]  # requests by their state


@pytest.fixture(scope="module")
def program(new_program: Callable[[Path], CommandLine], tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """For a user whose folder has the run that all go on with."""
    return new_program(tmp_path_factory.mktemp("user"))


def command(program: CommandLine, state: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The real program, with what it keeps in a folder of its own."""
    variables = {"HOSTED_VLLM_API_BASE": url, "HOSTED_VLLM_API_KEY": KEY, "XDG_STATE_HOME": str(state)}
    return program(*arguments, **variables)


@pytest.fixture(scope="module")
def warm_server(local_server: Any) -> str:
    """The server's address, with the model loaded, so that how long that takes is nobody's matter."""
    body = json.dumps({"model": "good", "messages": [{"role": "user", "content": "hello"}]}).encode()
    request = Request(f"{local_server.url}/chat/completions", body, {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request, timeout=200) as answer:  # noqa: S310 - our own http address
        assert answer.status == 200
    return str(local_server.url)


@pytest.fixture(scope="module")
def prepared(program: CommandLine, warm_server: str, sandbox: object) -> CommandLine:  # noqa: ARG001 - may skip
    """A run was prepared, and turned away by its model: `EARLIER` request."""
    home = program.home
    (home / "sums.py").write_text(SOURCE)
    with serving(FaultProxy(warm_server, lambda _: Fault(Kind.STATUS, 401))) as proxy:
        done = command(
            program, home / "state", proxy.url, "run", "sums.py", "--function", "total", "--model", MODEL,
            "--iterations", "2", "--timeout", str(TIMEOUT_S), "--retries", "1", "--max-seconds", "200",
        )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "continues this run" in done.stderr
    return program


def end_of(program: CommandLine, url: str, spoiled: Spoiled, first: int) -> Ended:
    """Go on with the run, with every request spoiled from the given one on."""
    home = program.home
    state, result = home / f"{name_of(spoiled)}-{first}", home / f"{name_of(spoiled)}-{first}.json"
    shutil.copytree(home / "state", state)
    with serving(FaultProxy(url, lambda number: spoiled.fault if number >= first else None)) as proxy:
        done = command(program, state, proxy.url, "resume", "latest", "--json", str(result))
        arrived = len(proxy.arrived)
    with closing(sqlite3.connect(state / "afterburner-agent" / "answers.sqlite")) as ledger:
        states = Counter(dict(ledger.execute("SELECT state, count(*) FROM ledger GROUP BY state")))
    document = json.loads(result.read_text()) if result.exists() else None
    return Ended(done.returncode, done.stderr + done.stdout, document, arrived, states)


def test_no_kind_of_fault_is_forgotten() -> None:
    assert {each.fault.kind for each in SPOILED} == set(Kind)


@pytest.mark.nightly
@pytest.mark.parametrize("spoiled", as_parameters(SPOILED))
def test_what_goes_wrong_after_the_first_answer_is_a_refused_candidate(
    prepared: CommandLine, warm_server: str, spoiled: Spoiled
) -> None:
    ended = end_of(prepared, warm_server, spoiled, first=2)
    assert ended.code == 0, ended.shown
    assert ended.document is not None
    schema = json.loads((files("afterburner.agent.cli") / "run-schema.json").read_text("utf-8"))
    jsonschema.validate(ended.document, schema)
    assert ended.document["decision"] == "no_improvement"
    first, second = ended.document["candidates"]
    assert (first["decision"], second["decision"]) == ("refused", "refused")
    assert "does not define total" in first["reason"]
    assert spoiled.words in second["reason"], second["reason"]
    assert "\n" not in second["reason"]
    usage = ended.document["usage"]
    assert usage["requests"] == EARLIER + ended.arrived
    assert ended.arrived == 1 + spoiled.tries
    assert usage["lost"]["requests"] == spoiled.lost
    assert (usage["lost"]["most_tokens"] > 0) == (spoiled.lost > 0)
    assert usage["prompt_tokens"] > 0
    assert usage["completion_tokens"] > 0
    assert usage["cost_usd"] is None, "nobody knows its price"
    assert ended.shown.count("Trying again in") == spoiled.tries - 1
    assert_honest(ended, prepared.home, spoiled, answered=1)


@pytest.mark.parametrize("spoiled", as_parameters(each for each in SPOILED if each.fault.kind in FROM_THE_START))
def test_what_goes_wrong_from_the_start_is_one_line_and_a_run_to_go_on_with(
    prepared: CommandLine, warm_server: str, spoiled: Spoiled
) -> None:
    ended = end_of(prepared, warm_server, spoiled, first=1)
    assert ended.code == 1
    assert ended.document is None
    (error,) = [line for line in ended.shown.splitlines() if line.startswith("error: ")]
    assert spoiled.words in error
    assert "continues this run" in ended.shown
    assert ended.arrived == spoiled.tries
    assert_honest(ended, prepared.home, spoiled, answered=0)


def assert_honest(ended: Ended, home: Path, spoiled: Spoiled, answered: int) -> None:
    """Nothing is told that should not be, and the ledger has each request as what it came to; lost ones stay sent."""
    told = 1 if spoiled.fault.kind is Kind.NO_CHOICES else 0  # it says what it used
    assert ended.ledger.total() == EARLIER + ended.arrived
    assert ended.ledger["sent"] == spoiled.lost
    assert ended.ledger["answered"] == answered + told
    assert "Traceback" not in ended.shown
    assert KEY not in ended.shown
    assert (home / "sums.py").read_text() == SOURCE
