"""A recording gives its answers in order, and a broken one says in which line."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.replay_proposer import ReplayProposer
from afterburner.agent.models.requests.secrets import Scrubber
from afterburner.agent.types import Objective, Rewrite
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SOURCE = "def f(x):\n    return x + x\n"


def content(code: str) -> str:
    return f"<thinking>Try {code}</thinking>\n<solution>\n```python\ndef f(x):\n    return {code}\n```\n</solution>"


def request(target: Target, iteration: int, count: int) -> ProposalRequest:
    return ProposalRequest(target, Objective.TIME, Measurement(1.0, 1.0, 1, 1.0), True, iteration, count)


def test_answers_come_in_order_and_a_resumed_run_goes_on_where_it_was(tmp_path: Path, make_target: MakeTarget) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [json.dumps({"content": content(f"{n} * x"), "model": "m"}) for n in range(5)]
    path.write_text("\n".join(lines) + "\n\n")
    target = make_target(SOURCE, "f")
    proposer = open_proposer(f"replay:{path}")
    assert proposer.name == "replay:answers.jsonl"
    first = proposer.propose(request(target, 1, 2))
    assert [p.rewrite for p in first] == [Rewrite(f"def f(x):\n    return {n} * x\n") for n in (0, 1)]
    assert [p.reasoning for p in first] == ["Try 0 * x", "Try 1 * x"]
    resumed = open_proposer(f"replay:{path}")
    assert resumed.propose(request(target, 2, 2)) == proposer.propose(request(target, 2, 2))
    assert [p.reasoning for p in resumed.propose(request(target, 3, 2))] == ["Try 4 * x"]
    assert resumed.propose(request(target, 4, 2)) == []


def test_null_in_a_recording_says_as_much_as_no_key(tmp_path: Path, make_target: MakeTarget) -> None:
    bare = {"content": "<solution>\n```python\ndef f(x):\n    return 2 * x\n```\n</solution>"}
    keys = (
        *("model", "finish_reason", "error", "reasoning", "usage", "iteration", "candidate", "asked", "file"),
        *("function", "hidden"),
    )
    asked, path = request(make_target(SOURCE, "f"), 1, 1), tmp_path / "answers.jsonl"
    proposals = []
    for answer in (bare, bare | dict.fromkeys(keys)):
        path.write_text(json.dumps(answer))
        proposals += open_proposer(f"replay:{path}").propose(asked)
    assert proposals[0] == proposals[1]
    assert proposals[0].rewrite is not None


def test_an_answer_that_cannot_be_used_is_a_proposal_with_the_reason(tmp_path: Path, make_target: MakeTarget) -> None:
    path = tmp_path / "answers.jsonl"
    answers = ["no format", content("x").replace("def f", "def g"), content("x +"), content("2 * x")]
    path.write_text("".join(json.dumps({"content": answer}) + "\n" for answer in answers))
    proposals = open_proposer(f"replay:{path}").propose(request(make_target(SOURCE, "f"), 1, 4))
    assert [p.rewrite is None for p in proposals] == [True, True, True, False]
    assert [p.reasoning for p in proposals] == ["", "Try x", "Try x +", "Try 2 * x"]
    for proposal, reason in zip(proposals, ["no <thinking>", "does not define f", "not Python"], strict=False):
        assert reason in proposal.error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"content": "a"}\n\n{"content": \n', "line 3, is not JSON"),
        ("content\n", "line 1, is not JSON"),
        ('{"content": "a"}\n{"answer": "b"}\n', "line 2, is not of the form"),
        ('{"content": 1}\n', "line 1, is not of the form"),
        ('["content"]\n', "line 1, is not of the form"),
        ("[" * 100_000 + "\n", "line 1, is not JSON"),
    ],
)
def test_a_broken_recording_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(ProposerError, match=message):
        open_proposer(f"replay:{path}")


def test_a_recording_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProposerError, match=r"No such recording: .*absent\.jsonl"):
        open_proposer(f"replay:{tmp_path / 'absent.jsonl'}")
    with pytest.raises(ProposerError, match="cannot be read"):
        open_proposer(f"replay:{tmp_path}")
    with pytest.raises(ProposerError, match="cannot be read"):
        open_proposer("replay:")
    (tmp_path / "latin.jsonl").write_bytes(b'{"content": "\xe9"}')
    with pytest.raises(ProposerError, match="not UTF-8"):
        open_proposer(f"replay:{tmp_path / 'latin.jsonl'}")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "def f(x):\n    return g(x)\n\n\ndef g(x):\n    return " + "+".join(["1"] * 5_000) + "\n",
            "nested too deeply",
        ),
        ("def f(x):\n    return x\n" + "# long\n" * 40_000, "longer than 200,000 characters"),
    ],
)
def test_an_answer_of_no_reasonable_size_is_one_refused_candidate(
    tmp_path: Path, make_target: MakeTarget, code: str, reason: str
) -> None:
    content = f"<thinking>\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"
    (tmp_path / "r.jsonl").write_text(json.dumps({"content": content}) + "\n")
    target = make_target("def f(x):\n    return x + 0\n", "f")
    request = ProposalRequest(target, Objective.TIME, Measurement(1.0, 1.0, 1, 1.0), True, 1, 1)
    (proposal,) = open_proposer(f"replay:{tmp_path / 'r.jsonl'}").propose(request)
    assert proposal.rewrite is None
    assert reason in proposal.error


def test_a_recording_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "r.jsonl")
    with pytest.raises(ProposerError, match="it is not a file"):
        open_proposer(f"replay:{tmp_path / 'r.jsonl'}")


def test_a_secret_of_this_environment_is_hidden_in_what_a_recording_says(
    tmp_path: Path, make_target: MakeTarget
) -> None:
    """As in a model's answer; neither the stored answer nor the code holds the value."""
    value = "sk-recorded-0123456789abcdef"
    path = tmp_path / "answers.jsonl"
    code = f"len({value!r}) + x"
    path.write_text(json.dumps({"content": f"{content(code)}\nThe key is {value}."}) + "\n", "utf-8")
    proposer = ReplayProposer(path, Scrubber({"OPENAI_API_KEY": value}))
    (proposal,) = proposer.propose(request(make_target(SOURCE, "f"), 1, 1))
    assert value not in repr(proposal)
    assert proposal.answer is not None
    assert "The key is " in proposal.answer.text
    lines = [
        {"content": f"f({value!r})", "doubted": "1.1"},
        {"content": f"f({value!r})", "workload": True},
        {"content": "", "error": f"401 for {value}"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    proposer = ReplayProposer(path, Scrubber({"OPENAI_API_KEY": value}))
    assert value not in repr([*proposer.propose(request(make_target(SOURCE, "f"), 1, 1)), *proposer.parts])
