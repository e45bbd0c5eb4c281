"""A project with a slow function, what a model may answer for it, and the store of a run on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.training.runs.reading import ProvenRun, proven_runs

if TYPE_CHECKING:
    from pathlib import Path


SLOW = """\
from names import clean


def common(left, right):
    \"\"\"Names of both lists, in the order of the first.\"\"\"
    return [name for name in map(clean, left) if name in [clean(other) for other in right]]


if __name__ == "__main__":
    for size in (10, 20, 30, 40):
        print(len(common([f"n{i}" for i in range(size)], [f"n{2 * i}" for i in range(size)])))
"""
NAMES = "def clean(name):\n    return name.strip().lower()\n"
DOC = '    """Names of both lists, in the order of the first."""\n'
RESULT = "    return [name for name in map(clean, left) if name in known]\n"
FAST = f"def common(left, right):\n{DOC}    known = {{clean(other) for other in right}}\n{RESULT}"
WRONG = "def common(left, right):\n    return list(map(clean, left))\n"
CHEAT = f"import sys\n\n\ndef common(left, right):\n    sys._getframe()\n    known = set(map(clean, right))\n{RESULT}"


def answer(code: str, thinking: str) -> str:
    return f"<thinking>\n{thinking}\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"


@dataclass(frozen=True)
class Store:
    """A store with one run of a project, and what its model was sent."""

    folder: Path
    project: Path
    sent: list[dict[str, str]]

    @property
    def run(self) -> ProvenRun:
        (run,) = proven_runs(self.folder)
        assert isinstance(run, ProvenRun)
        return run


def write_shop(folder: Path) -> None:
    """Write the project into a new folder."""
    folder.mkdir()
    (folder / "stock.py").write_text(SLOW)
    (folder / "names.py").write_text(NAMES)
    (folder / "pyproject.toml").write_text("")
