"""A real project and a model behind a real HTTP server, through the command line: what it is told and what it may."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from model_server import ModelServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import CommandLine

FILES = {
    "pyproject.toml": "[project]\nname = 'shop'\n[tool.black]\nline-length = 60\n",
    ".gitignore": "secret.py\n",
    "secret.py": "from shop.report import total\ntotal('not to be told')\n",
    "shop/__init__.py": "",
    "shop/items.py": "from dataclasses import dataclass\n\nSTEP = 3\n\n\n@dataclass\nclass Item:\n    price: int\n",
    "shop/report.py": """\
from shop.items import STEP, Item


def total(rows: list[Item]) -> int:
    '''Add up.'''
    seen = [ ]   # a list
    for row in rows:
        if row.price not in seen :
            seen.append( row.price )   # new
    return sum( seen ) * STEP


if __name__ == "__main__":
    print(total([Item(n) for n in range(900)]))
    print(total([Item(n % 7) for n in range(900)]))
    print(total([Item(n % 50) for n in range(500)]))
    print(total([]))
""",
    "app.py": "from shop.report import total as add\n\n\ndef main(rows):\n    return add(rows)\n",
}
ANSWER = """<thinking>Sets.</thinking><solution>```python
IMPORTS
from shop.items import STEP, Item

def total(rows: list[Item]) -> int:
    seen = []
    known = { "a"  :  0, "b" : 1,
      "c" : USE }
    for row in rows:
        if row.price not in known:
            known[row.price] = 1
            seen.append(row.price)
    return sum(seen) * STEP
```</solution>"""


class Answering(ModelServer):
    """Gives one text to everything."""

    def __init__(self) -> None:
        super().__init__(lambda _asked, _number: self.text)
        self.text = ""


@pytest.fixture
def program(program: CommandLine) -> CommandLine:
    """Nothing here is about time."""
    return program.untimed()


@pytest.fixture
def server() -> Iterator[Answering]:
    with serving(Answering()) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def ran(program: CommandLine, server: Answering, project: Path, *options: str) -> dict[str, Any]:
    """The result of a run with this model."""
    done = program(
        *("run", "shop/report.py", "-f", "total", "--model", "openai/m", "--iterations", "1", "--json", "-", "--quiet"),
        *options,
        folder=project,
        OPENAI_API_BASE=server.url,
        OPENAI_API_KEY="sk-test-0123456789",
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.nightly
@pytest.mark.slow
def test_a_model_is_told_the_project_and_its_answer_becomes_a_small_change(
    program: CommandLine, server: Answering, project: Path
) -> None:
    server.text = ANSWER.replace("IMPORTS\n", "").replace("USE", "2")
    result = ran(program, server, project)
    asked = server.asked[0].prompt
    for part in (
        "# shop/items.py\n",
        "class Item:\n    price: int",
        "STEP = 3",
        "# app.py\n# line 5, in main\nreturn add(rows)",
        "New import statements may name the standard library and modules of the project itself; no others",
    ):
        assert part in asked
    assert "not to be told" not in asked
    assert result["decision"] == "improved", result["candidates"]
    lines = result["patch"].splitlines()[2:]
    assert [line for line in lines if line.startswith("-")] == ["-        if row.price not in seen :"]
    assert [line for line in lines if line.startswith("+")] == [
        '+    known = {"a": 0, "b": 1, "c": 2}',
        "+        if row.price not in known:",
        "+            known[row.price] = 1",
    ]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--allow-imports pygments"),
        pytest.param(("--allow-imports", "pygments", "--context-tokens", "0"), None, marks=pytest.mark.nightly),
    ],
)
def test_a_library_is_used_only_if_the_user_allows_it(
    program: CommandLine, server: Answering, project: Path, options: tuple[str, ...], reason: str | None
) -> None:
    """Our own interpreter runs the code, which has it installed."""
    server.text = ANSWER.replace("IMPORTS", "import pygments").replace("USE", "len(pygments.__name__)")
    candidate = ran(program, server, project, *options)["candidates"][0]
    if reason is not None:
        assert candidate["decision"] == "refused"
        assert reason in candidate["reason"]
        return
    assert candidate["verdict"] == "accepted", candidate["reason"]
    assert "class Item" not in server.asked[0].prompt
    assert "installed libraries: Pygments " in server.asked[0].prompt


def test_wrong_names_of_libraries_are_a_usage_error(program: CommandLine, project: Path) -> None:
    done = program("run", "shop/report.py", "--allow-imports", "a b", folder=project)
    assert done.returncode == 2
    assert "--allow-imports takes" in done.stderr
