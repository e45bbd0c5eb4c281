"""From a name to a proposer: the lazy map, chains, and what is said of names that fit nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.models.registry import EVERY_OTHER, KINDS, members, open_proposer
from afterburner.agent.models.replay_proposer import ReplayProposer
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_map_names_classes_that_propose() -> None:
    for reference in (*KINDS.values(), EVERY_OTHER):
        module, _, name = reference.partition(":")
        proposer = getattr(import_module(module), name)
        assert callable(proposer.propose)
        assert proposer.__name__ == name


def test_the_map_imports_nothing_until_it_is_asked() -> None:
    code = (
        "import sys\nimport afterburner.agent.models.registry\n"
        "mine = {name.removeprefix('afterburner.agent.models.') for name in sys.modules}\n"
        "for name in ('litellm_proposer', 'replay_proposer', 'rules_proposer', 'vllm_engine', 'requests.client'):\n"
        "    assert name not in mine\n"
        "assert not {'litellm', 'libcst', 'vllm', 'torch'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("rule", r"Did you mean rules\?"),
        ("Rules", r"Did you mean rules\?"),
        ("replai:x.jsonl", r"Did you mean replay\?"),
        ("vlm:/models/x", r"Did you mean vllm\?"),
        ("opanai/gpt-4o", r"knows no provider for it\. Did you mean openai/gpt-4o"),
        ("gpt-4oo", r"Did you mean .*gpt-4o"),
        ("nobody/nothing", r"knows no provider for it\. Examples: rules, "),
        ("", "Unknown model ''"),
        ("openai/", "no model"),
        ("rules,", "empty member"),
        (",", "empty member"),
        ("rules,rules", "names a member twice"),
        ("rules,rule", r"Unknown model 'rule'\. Did you mean rules\?"),
        ("replay:absent.jsonl", "No such recording"),
        ("vllm:", "names no model"),
    ],
)
def test_a_name_that_fits_nothing_is_a_usage_error_with_near_matches(model: str, said: str) -> None:
    with pytest.raises(UnknownModelError, match=said) as caught:
        open_proposer(model)
    assert isinstance(caught.value, UsageError)
    assert isinstance(caught.value, ProposerError)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_a_comma_in_the_name_of_a_file_makes_no_chain(tmp_path: Path) -> None:
    path = tmp_path / "mine,yours.jsonl"
    path.write_text(json.dumps({"content": "x"}) + "\n")
    assert members(f"replay:{path}") == [f"replay:{path}"]
    assert isinstance(open_proposer(f"replay:{path}"), ReplayProposer)


def test_a_chain_is_opened_member_by_member(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"content": "x"}) + "\n")
    assert members("rules, openai/gpt-4o") == ["rules", "openai/gpt-4o"]
    assert open_proposer(f"rules,replay:{path}").name == "rules,replay:answers.jsonl"
    other = tmp_path / "other" / "answers.jsonl"
    other.parent.mkdir()
    other.write_text(path.read_text())
    with pytest.raises(UnknownModelError, match="members of the same name"):
        open_proposer(f"replay:{path},replay:{other}")
