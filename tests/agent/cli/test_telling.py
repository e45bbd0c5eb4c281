"""`run --tell`, end to end: what a server that speaks OpenAI's protocol is really sent, and what is not sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

KEY = "sk-live-0123456789abcdef"
SLOW = f'''\
API_KEY = "{KEY}"


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    left = [f"name-{{number}}" for number in range(1200)]
    right = [f"name-{{number * 3}}" for number in range(800)]
    print(len(common(left, right)), common(right[:400], left[::2])[:4])
    print(len(common(left[100:1100], right[:700])), len(common(left[::2], right[::3])))
    print(common([], right), common(["a", "b", "a"], ["a"]))
'''
WRONG = "Sets are faster:\n```python\ndef common(left, right):\n    return sorted(set(left) & set(right))\n```\n"
ENDLESS = "<thinking>I wonder whether"
TITLES = ("Original solution", "Original performance", "Line profile", "Counterexample", "Earlier attempts")


def saying(*answers: str) -> ModelServer:
    """Gives its answers one after the other."""
    return ModelServer(lambda _asked, number: answers[number - 1])


@pytest.fixture
def program(program: CommandLine) -> CommandLine:
    """Nothing here is about time."""
    return program.untimed()


@pytest.fixture
def project(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    folder = program.home / "shop"
    folder.mkdir()
    (folder / "names.py").write_text(SLOW, encoding="utf-8")
    return folder


def run(program: CommandLine, folder: Path, server: ModelServer, *options: str) -> subprocess.CompletedProcess[str]:
    return program(
        *("run", "names.py", "--function", "common", "--model", "openai/m", "--json", "-", *options),
        folder=folder,
        OPENAI_API_BASE=server.url,
        OPENAI_API_KEY=KEY,
    )


def titles(prompt: str) -> list[str]:
    """Which of the sections that may be left out are there."""
    return [title for title in TITLES if f"## {title}\n" in prompt]


def section(prompt: str, title: str) -> str:
    return prompt.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.nightly
def test_by_default_a_model_is_told_everything_that_the_run_found_out(program: CommandLine, project: Path) -> None:
    with serving(saying(WRONG, ENDLESS, ENDLESS)) as server:
        done = run(program, project, server, "--iterations", "3")
    assert done.returncode == 0, done.stderr
    first, second, third = (asked.prompt for asked in server.asked)
    assert titles(first) == list(TITLES[:3])
    assert titles(second) == titles(third) == list(TITLES)

    rows = section(first, "Line profile").splitlines()
    shares = {row.split("%")[1].split(maxsplit=1)[1]: float(row.split("%")[0]) for row in rows if "%" in row}
    assert max(shares, key=lambda code: shares[code]) == "if name in right:"
    assert section(third, "Line profile") == section(first, "Line profile"), "it is made once for each incumbent"

    assert "common(" in section(second, "Counterexample")
    assert "1.1 wrong: " in section(second, "Earlier attempts")
    assert "2.1 refused: the answer lacks a tag of the output format" in section(third, "Earlier attempts")
    assert all(KEY not in asked.prompt for asked in server.asked)

    candidates = json.loads(done.stdout)["candidates"]
    assert [each["answer_form"] for each in candidates] == ["no tags, prose around", None, None]
    assert "1.1 openai/m (no tags, prose around): wrong" in done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("tell", "told"),
    [
        pytest.param("paper", ["Original solution", "Original performance"], marks=pytest.mark.nightly),
        pytest.param("no-feedback,history", ["Original solution", "Earlier attempts"], marks=pytest.mark.nightly),
        ("no-original,counterexample", ["Original performance", "Counterexample"]),
    ],
)
def test_what_is_not_named_is_not_sent(program: CommandLine, project: Path, tell: str, told: list[str]) -> None:
    with serving(saying(WRONG, ENDLESS)) as server:
        done = run(program, project, server, "--iterations", "2", "--tell", tell)
    assert done.returncode == 0, done.stderr
    assert titles(server.asked[1].prompt) == told
    assert "line by line" not in done.stderr, "nobody would read the profile"
    assert json.loads(done.stdout)["settings"]["models"]["tell"] == tell


def test_a_wrong_name_is_found_before_anything_is_done(program: CommandLine, project: Path) -> None:
    with serving(saying()) as server:
        done = run(program, project, server, "--tell", "numbers,profil")
    assert done.returncode == 2
    assert "--tell knows no 'profil'" in done.stderr
    assert done.stdout == ""
    assert server.asked == []
