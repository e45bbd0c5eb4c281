"""What `--record` writes, `replay:` gives again: the same candidates in the same iterations and order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.model_answers import ModelAnswer
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Place, RecordedTarget, Recording
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model_server import ModelServer, StoredRequest

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.types import Target

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"


def facts(proposals: list[Proposal]) -> list[tuple[object, str, str]]:
    return [(proposal.rewrite, proposal.reasoning, proposal.error) for proposal in proposals]


@pytest.mark.parametrize("temperature", [None, 0.0], ids=["together", "side by side"])
def test_a_replay_gives_what_was_recorded_failures_included(
    server: ModelServer,
    request_of: MakeRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    temperature: float | None,
) -> None:
    good = server.answer

    def answer(asked: StoredRequest, number: int) -> str:
        return "no format" if number == 2 else good(asked, number)

    server.answer, server.gives_several, path = answer, False, tmp_path / "answers.jsonl"
    with serving(FaultProxy(server.url, {3: Fault(Kind.STATUS, 401)})) as proxy:
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        model_session = ModelSession(recording=Recording(path))
        proposer = open_proposer(MODEL, temperature=temperature, model_session=model_session)
        asked_for = [request_of(count=3, iteration=iteration) for iteration in (1, 2)]
        recorded = [facts(proposer.propose(request)) for request in asked_for]
    replayed = [facts(open_proposer(f"replay:{path}").propose(request)) for request in asked_for]
    assert replayed == recorded
    assert [len(proposals) for proposals in recorded] == [3, 3]
    assert any("Check the key" in error for _, _, error in recorded[0])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted((line["iteration"], line["candidate"]) for line in lines) == [
        (iteration, candidate) for iteration in (1, 2) for candidate in (1, 2, 3)
    ]
    answered = [line for line in lines if "error" not in line]
    assert all(line["usage"]["prompt_tokens"] > 0 and line["model"] == MODEL for line in answered)


def test_an_answer_that_was_cut_off_is_cut_off_in_the_replay(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"content": "<thinking>", "finish_reason": "length", "iteration": 2, "candidate": 1}))
    proposer = open_proposer(f"replay:{path}")
    assert proposer.propose(request_of()) == []
    (proposal,) = proposer.propose(request_of(iteration=2))
    assert "cut off" in proposal.error
    assert server.asked == []


def where(iteration: int = 1) -> Place:
    return Place(RecordedTarget("module.py", "f"), iteration, MODEL)


def test_a_run_that_begins_empties_its_recording_and_one_that_goes_on_adds_to_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"content": "old"}\n')
    fresh = Recording(path)
    for _ in range(2):
        fresh.begin()
        assert path.read_text() == ""
    for candidate in (1, 2):
        fresh.append(where(), candidate, ModelAnswer("new", "m"), None)
    fresh.begin()
    resumed = Recording(path)
    resumed.begin(resuming=True)
    resumed.append(where(2), 1, ModelAnswer("more", "m"), None)
    assert [json.loads(line)["content"] for line in path.read_text().splitlines()] == ["new", "new", "more"]
    with pytest.raises(AfterburnerError, match="cannot be written"):
        Recording(tmp_path).begin()


FULL = """
import resource, sys
from afterburner.agent.models.requests.model_answers import ModelAnswer
from afterburner.agent.models.requests.recording import Place, RecordedTarget, Recording
from afterburner.sandbox import AfterburnerError

where = Place(RecordedTarget("module.py", "f"), 1, "m")
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
recording = Recording(sys.argv[1])
recording.append(where, 1, ModelAnswer("short", "m"), None)
try:
    recording.append(where, 2, ModelAnswer("x" * 8192, "m"), None)
except AfterburnerError as error:
    print(error)
recording.append(where, 3, ModelAnswer("short again", "m"), None)
"""


def test_where_the_disk_is_full_no_half_of_a_line_is_written(tmp_path: Path) -> None:
    """In a process of its own that may write files of 4 KiB: the system takes a part of the line, and no more."""
    path = tmp_path / "answers.jsonl"
    done = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True)
    assert "answers.jsonl cannot be written: " in done.stdout
    assert [json.loads(line)["content"] for line in path.read_text().splitlines()] == ["short", "short again"]
    open_proposer(f"replay:{path}")


def test_a_recording_is_kept_where_no_model_can_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"content": "old"}\n')
    open_proposer("rules", model_session=ModelSession(recording=Recording(path)))
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ProposerError, match="needs a key"):
        open_proposer(f"rules,{MODEL}", model_session=ModelSession(recording=Recording(path)))
    assert path.read_text() == '{"content": "old"}\n'
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789-secret")
    open_proposer(f"rules,{MODEL}", model_session=ModelSession(recording=Recording(path)))
    assert path.read_text() == ""


def test_the_answers_of_all_models_of_a_chain_are_replayed(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    server.answer = lambda asked, number: f"<thinking>{asked.body['model']} {number}</thinking>"
    server.gives_several, path = False, tmp_path / "answers.jsonl"
    chain = open_proposer("openai/small,openai/large", model_session=ModelSession(recording=Recording(path)))
    asked_for = [replace(request_of(count=2, iteration=iteration), is_last=True) for iteration in (1, 2)]
    recorded = [facts(chain.propose(request)) for request in asked_for]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["asked"] for line in lines] == 2 * (2 * ["openai/small"] + 2 * ["openai/large"])
    assert len({reasoning for proposals in recorded for _, reasoning, _ in proposals}) == 8
    replay = open_proposer(f"replay:{path}")
    assert [facts(replay.propose(request)) for request in asked_for] == recorded


def test_each_of_many_targets_has_its_own_answers_in_a_replay(
    server: ModelServer, make_target: Callable[..., Target], request_of: MakeRequest, tmp_path: Path
) -> None:
    def answer(asked: StoredRequest, number: int) -> str:
        name = "g" if "def g" in asked.prompt else "f"
        return f"<thinking>{number}</thinking><solution>```python\ndef {name}(x):\n    return {number}\n```</solution>"

    server.answer = answer
    path = tmp_path / "answers.jsonl"
    model_session = ModelSession(recording=Recording(path))
    targets = [
        make_target(f"def {name}(x):\n    return x + x\n", name, file)
        for file, name in (("a.py", "f"), ("a.py", "g"), ("b.py", "f"))
    ]
    asked_for = [[replace(request_of(iteration=n), target=target) for n in (1, 2)] for target in targets]
    recorded = [
        [facts(open_proposer(MODEL, model_session=model_session).propose(each)) for each in one] for one in asked_for
    ]
    assert len({str(each) for one in recorded for each in one}) == 6
    assert [[facts(open_proposer(f"replay:{path}").propose(each)) for each in one] for one in asked_for] == recorded
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["file"], line["function"]) for line in lines[::2]] == [("a.py", "f"), ("a.py", "g"), ("b.py", "f")]

    moved = make_target("def g(x):\n    return x + x\n", "g", "c.py")
    assert facts(open_proposer(f"replay:{path}").propose(replace(request_of(), target=moved))) == recorded[1][0]
    other = make_target("def f(x):\n    return x + x\n", "f", "d.py")
    with pytest.raises(ProposerError, match=r"recorded for f in a\.py, g in a\.py, f in b\.py, and .* f in d\.py"):
        open_proposer(f"replay:{path}").propose(replace(request_of(), target=other))


def test_what_was_recorded_behind_rules_is_replayed_by_itself_or_behind_rules(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    """The model was asked in the iterations 2 and 3: those are the first two in which the replay is asked."""
    server.answer = lambda _, number: f"<thinking>{number}</thinking>"
    path = tmp_path / "answers.jsonl"
    model = open_proposer(MODEL, model_session=ModelSession(recording=Recording(path)))
    for turn in (1, 2):
        model.propose(replace(request_of(iteration=turn), in_run=turn + 1))
    assert [json.loads(line)["iteration"] for line in path.read_text().splitlines()] == [2, 3]
    replay = open_proposer(f"replay:{path}")
    for in_run in (None, 7):
        turns = [replay.propose(replace(request_of(iteration=turn), in_run=in_run)) for turn in (1, 2, 3)]
        assert [[each.reasoning for each in turn] for turn in turns] == [["1"], ["2"], []]


def test_a_recording_with_and_without_places_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"content": "a"}\n{"content": "b", "iteration": 1, "candidate": 1}\n')
    with pytest.raises(ProposerError, match="all or none"):
        open_proposer(f"replay:{path}")
    path.write_text('{"content": "a", "iteration": "1"}\n')
    with pytest.raises(ProposerError, match="line 1: iteration and candidate"):
        open_proposer(f"replay:{path}")
    path.write_text('{"content": "a", "iteration": 1, "asked": "m", "file": 3}\n')
    with pytest.raises(ProposerError, match="line 1: with asked"):
        open_proposer(f"replay:{path}")


def test_no_secret_is_sent_recorded_or_told(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, told = os.environ["OPENAI_API_KEY"], list[ProgressEvent]()
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:pass-word-1234@localhost/db")
    server.answer = lambda asked, _: f"{secret} pass-word-1234 {asked.prompt}"
    model_session = ModelSession(recording=Recording(tmp_path / "r.jsonl"), on_event=told.append)
    source = f'def f(x):\n    """{secret} pass-word-1234"""\n    return x + x\n'
    (proposal,) = open_proposer(MODEL, model_session=model_session).propose(request_of(source=source))
    model_session.report(EventKind.RETRYING, detail=f"it said {secret}")
    everything = server.asked[0].prompt + (tmp_path / "r.jsonl").read_text() + str(told) + str(proposal)
    assert secret not in everything
    assert "pass-word-1234" not in everything
    assert told[-1].detail == "it said …"
