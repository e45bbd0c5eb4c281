"""What `--record` holds after a run that was interrupted and resumed: the answers of that run, and nothing older."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving

from afterburner.agent.loop.graph import Loop
from afterburner.agent.options import ModelOptions, RunSettings, Search
from afterburner.agent.session import one_run
from afterburner.agent.session.shortcuts import optimize_with, resume

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SLOW = """\
def common(left, right):
    return [value for value in left if value in right]


if __name__ == "__main__":
    for size in (100, 110, 120, 130):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("place", "step", "left"),
    [
        (one_run, "open_proposer_of", ["old"]),
        (one_run, "prepare", []),
        (Loop, "profile", ["answer 1"]),
        (Loop, "confirm", ["answer 1"]),
    ],
    ids=["before the models are there", "before the first answer", "behind the answer", "at the end"],
)
@pytest.mark.usefixtures("sandbox")
def test_a_resumed_run_keeps_its_own_answers_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: object, step: str, left: list[str]
) -> None:
    (tmp_path / "names.py").write_text(SLOW)
    recording = tmp_path / "answers.jsonl"
    recording.write_text('{"content": "old"}\n')
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    settings = RunSettings(
        str(tmp_path / "names.py"),
        "common",
        models=ModelOptions(model="openai/gpt-4o-mini", record=str(recording)),
        search=Search(iterations=1),
    )

    def interrupt(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    interrupt.__name__ = step  # by which the graph knows a node

    def contents() -> list[str]:
        return [json.loads(line)["content"] for line in recording.read_text().splitlines()]

    with serving(ModelServer(lambda _, number: f"answer {number}")) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        with monkeypatch.context() as interrupted:
            interrupted.setattr(place, step, interrupt)
            with pytest.raises(KeyboardInterrupt):
                optimize_with(settings)
        assert contents() == left
        resume("latest")
    assert contents() == ["answer 1"]
