"""Secret values are sent to no model and stored nowhere, and the user's code comes back with every one in its place."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.loop.placing import place
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.models.requests.secrets import Scrubber

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model_server import ModelServer, StoredRequest

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"
VALUE, OTHER = "postgres", "other-secret-77"
SOURCE = '''\
import postgres_pool


def f(rows, driver=None, *, prefix=b"postgres:"):
    """Rows of postgres, each once."""
    if driver == "postgres" or driver is postgres_pool:
        raise RuntimeError(f"postgres, not {driver}")  # postgresql
    out = []
    for row in rows:
        if row not in out:
            out.append(row)
    return out
'''
FAST = SOURCE[SOURCE.index("def f") :].partition("    out = []")[0] + "    return list(dict.fromkeys(rows))\n"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", VALUE)
    monkeypatch.setenv("OTHER_TOKEN", OTHER)


def answer_with(code: str) -> str:
    return f"<thinking>Of postgres.</thinking><solution>```python\n{code}```</solution>"


def rewritten(asked: StoredRequest, _number: int) -> str:
    """The code as it was sent, its loop replaced: what a model does that keeps to what it sees."""
    sent = re.search(r"## Original solution\n```python\n(.*?)```", asked.prompt, re.DOTALL)
    assert sent is not None
    return answer_with(sent[1].partition("    out = []")[0] + "    return list(dict.fromkeys(rows))\n")


def placed(proposal: Proposal, request: ProposalRequest) -> str:
    assert proposal.rewrite is not None, proposal.error
    return place(request.target, request.target.source, proposal.rewrite, None)


def test_code_with_a_secret_in_it_comes_back_as_it_was(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    server.answer, path = rewritten, tmp_path / "r.jsonl"
    model_session = ModelSession(recording=Recording(path), use_cache=True, open_store=AnswerStore)
    request = request_of(source=SOURCE)
    expected = SOURCE[: SOURCE.index("def f")] + FAST
    (proposal,) = open_proposer(MODEL, model_session=model_session).propose(request)
    assert placed(proposal, request) == expected
    assert VALUE not in server.asked[0].prompt + path.read_text() + proposal.reasoning

    store = model_session.store
    assert store is not None
    files = [each for each in store.path.parent.iterdir() if each.name.startswith(store.path.name)]
    assert [each for each in files if VALUE.encode() in each.read_bytes()] == []
    (again,) = open_proposer(MODEL, model_session=model_session).propose(request)
    assert replace(again, answer=None) == replace(proposal, answer=None)
    assert again.answer is not None
    assert VALUE not in str(again.answer)
    assert len(server.asked) == 1, "from the cache"
    model_session.close()

    (replayed,) = open_proposer(f"replay:{path}").propose(request)
    assert placed(replayed, request) == expected


@pytest.mark.parametrize(
    "damage",
    [
        lambda stand_in: stand_in[:-3],
        str.upper,
        str.lower,
        lambda stand_in: stand_in.replace("_", " "),
        lambda stand_in: stand_in[:-1] + ("0" if stand_in[-1] != "0" else "1"),
    ],
    ids=["cut", "upper", "lower", "apart", "another"],
)
def test_a_stand_in_that_does_not_come_back_whole_refuses_the_rewrite(
    server: ModelServer, request_of: MakeRequest, damage: Callable[[str], str]
) -> None:
    stand_in = Scrubber().hide(VALUE)
    server.answer = lambda asked, number: rewritten(asked, number).replace(f'"{stand_in}"', f'"{damage(stand_in)}"')
    (proposal,) = open_proposer(MODEL).propose(request_of(source=SOURCE))
    assert proposal.rewrite is None
    assert "stand-in of a secret value" in proposal.error


@pytest.mark.parametrize("temperature", [None, 0.0])
def test_where_nothing_was_hidden_a_rewrite_may_name_hidden_values(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path, temperature: float | None
) -> None:
    code = "def f(x):\n    hidden_values = x << 1\n    return hidden_values\n"
    server.answer, path = lambda *_: answer_with(code), tmp_path / "r.jsonl"
    model_session = ModelSession(recording=Recording(path), use_cache=True, open_store=AnswerStore)
    proposer, request = open_proposer(MODEL, temperature=temperature, model_session=model_session), request_of()
    for _ in ("asked", "from the cache"):
        (proposal,) = proposer.propose(request)
        assert proposal.rewrite is not None, proposal.error
    model_session.close()
    assert len(server.asked) == 1
    (replayed,) = open_proposer(f"replay:{path}").propose(request)
    assert replayed.rewrite == proposal.rewrite


def test_what_was_hidden_when_it_was_recorded_is_looked_for_where_nothing_is(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replay on a machine without the variable refuses what was refused."""
    stand_in, path = Scrubber().hide(VALUE), tmp_path / "r.jsonl"
    server.answer = lambda asked, number: rewritten(asked, number).replace(stand_in, "hidden_value_1")
    (proposal,) = open_proposer(MODEL, model_session=ModelSession(recording=Recording(path))).propose(
        request_of(source=SOURCE)
    )
    monkeypatch.delenv("POSTGRES_PASSWORD")
    (replayed,) = open_proposer(f"replay:{path}").propose(request_of(source=SOURCE))
    assert "stand-in of a secret value" in proposal.error
    assert replayed.error == proposal.error


@pytest.mark.parametrize("guess", ['"…"', '"<password>"', 'os.environ["POSTGRES_PASSWORD"]'])
def test_a_string_that_was_hidden_cannot_be_left_out(server: ModelServer, request_of: MakeRequest, guess: str) -> None:
    stand_in = Scrubber().hide(VALUE)
    source = 'def f(driver):\n    return driver == "postgres"\n'
    server.answer = lambda asked, _: answer_with(
        source.replace('"postgres"', guess if stand_in in asked.prompt else "0")
    )
    (proposal,) = open_proposer(MODEL).propose(request_of(source=source))
    assert proposal.rewrite is None
    assert "leaves out a string of the original that was hidden" in proposal.error


def test_an_answer_fetches_no_secret_that_is_not_in_the_file(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    """Whoever knows the name of a variable can write its stand-in."""
    code = f'def f(x):\n    return "{Scrubber().hide(OTHER)}"\n'
    server.answer = lambda *_: answer_with(code)
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"content": answer_with(code)}))
    for model in (MODEL, f"replay:{path}"):
        (proposal,) = open_proposer(model).propose(request_of())
        assert proposal.rewrite is None
        assert OTHER not in str(proposal)


def test_what_is_named_like_a_secret_is_one() -> None:
    scrub = Scrubber({"A_KEY": "abcdefgh", "GITHUB_TOKEN": "abcdefgh-longer", "HOME": "/home/me", "DB_PASSWORD": "x"})
    assert scrub("abcdefgh-longer abcdefgh /home/me x") == "… … /home/me x"


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_PAT", "PAT", "DB_PASS", "OPENAI_API_KEY_2", "OPENAI_API_KEY2", "OPENAI_API_KEYS", "AWS_ACCESS_KEY_ID",
        "NPM_AUTH", "DB_CREDENTIALS", "app_secret", "SERVICE_JWT",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert Scrubber({name: "0123456789"})("<0123456789>") == "<…>"


@pytest.mark.parametrize("name", ["PATH", "COMPASS", "PWD", "MONKEY_NAME", "XAUTHORITY", "SSH_AUTH_SOCK", "AUTHOR"])
def test_names_of_no_secrets(name: str) -> None:
    assert Scrubber({name: "0123456789"})("<0123456789>") == "<0123456789>"


def test_each_of_several_keys_and_what_an_address_lets_in_with() -> None:
    scrub = Scrubber({
        "OPENAI_API_KEYS": "sk-aaaaaaaa,sk-bbbbbbbb",
        "ORIGIN": "https://ghp_abcdefgh12345@github.com/x",
        "DATABASE_URL": "postgresql://deploying:pass-word-1234@localhost/db",
    })  # fmt: skip
    assert scrub("sk-bbbbbbbb ghp_abcdefgh12345 deploying pass-word-1234") == "… … deploying …"
    assert len({scrub.hide(each) for each in ("sk-aaaaaaaa", "sk-bbbbbbbb", "pass-word-1234")}) == 3


@pytest.mark.parametrize("value", ["it's\"a\\pass-12345", "p\xe4ssw\xf6rt-1234567", "abc\\def\\ghi12345"])
@pytest.mark.parametrize("literal", [repr, ascii, json.dumps])
def test_a_value_is_hidden_in_every_literal_that_it_may_stand_in(value: str, literal: Callable[[str], str]) -> None:
    scrub, code = Scrubber({"DB_PASSWORD": value}), f"password = {literal(value)}\n"
    hidden = scrub.hide(code)
    assert literal(value)[1:-1] not in hidden
    assert "HIDDEN_VALUE_" in hidden
    assert scrub.restore(hidden, code) == code


def test_what_was_cut_off_before_is_no_longer_a_piece_of_a_value() -> None:
    value = "ghp_" + "a1B2c3D4" * 4
    scrub = Scrubber({"MY_TOKEN": value})
    for shown in (f"f() returned 'uuu{value[:30]}\u2026' (99 characters)", f"'{value[:12]}\u2026{value[-9:]}'"):
        for text in (scrub.hide(shown), scrub(shown)):
            assert not any(value[i : i + 8] in text for i in range(len(value) - 7)), text
    assert scrub("nothing \u2026 of it") == "nothing \u2026 of it"
