"""Rewrites that read a file, an array or a frame in another way are found out on what real calls did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

pytestmark = pytest.mark.slow

IMPORTS = "import csv, tempfile\nfrom pathlib import Path\nimport numpy as np\nimport pandas as pd\n"
WRITTEN = """\
place = Path(tempfile.mkdtemp()) / "prices.csv"
place.write_text("name,price\\n" + "".join(f"n{n},{n}\\n" for n in range(30)))
"""
LINES = "def f(path):\n    with open(path) as file:\n        return [line.rstrip('\\n') for line in file]\n"
ROWS = (
    "def f(path):\n    found = []\n    with open(path, newline='') as file:\n        for row in csv.reader(file):\n"
    "            found.append(row)\n    return found\n"
)
COUNTED = "def f(file):\n    count = 0\n    for line in file:\n        count += bool(line.strip())\n    return count\n"
WRONG = {
    "fields are not read as csv": (
        ROWS,
        "def f(path):\n    with open(path) as file:\n        return [line.rstrip('\\n').split(',') for line in file]\n",
        WRITTEN + "f(place)",
    ),
    "blank lines of an open file": (
        COUNTED,
        "def f(file):\n    return sum(1 for _ in file)\n",
        WRITTEN + "with open(place) as file:\n    f(file)",
    ),
    "gaps between elements": (
        "def f(values):\n    return float(sum(values.tolist()))\n",
        "def f(values):\n    return float(sum(np.frombuffer(values, values.dtype).tolist()))\n",
        "f(np.arange(5.0))\nf(np.array([1.5, 2.5]))",
    ),
    "integers that become floats": (
        "def f(frame):\n    return [tuple(row[1:]) for row in frame.itertuples()]\n",
        "def f(frame):\n    return [tuple(row) for row in frame.to_numpy().tolist()]\n",
        "f(pd.DataFrame({'n': [1, 2, 3], 'm': [4, 5, 6]}))\nf(pd.DataFrame({'n': [7], 'm': [8]}))",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("original", "rewrite", "calls"),
    [
        pytest.param(*each, id=name, marks=[pytest.mark.nightly] if at else [])
        for at, (name, each) in enumerate(WRONG.items())
    ],
)
def test_a_wrong_rewrite_is_found_out(compare: Compare, original: str, rewrite: str, calls: str) -> None:
    found = compare(IMPORTS + original, IMPORTS + rewrite, calls, rounds=2, shrinking_s=0)
    assert isinstance(found, Counterexample), found
    assert not found.on_real_call


@pytest.mark.nightly
def test_a_right_rewrite_agrees_on_files_of_many_kinds(compare: Compare) -> None:
    at_once = (
        "def f(path):\n    with open(path) as file:\n        return [line.rstrip('\\n') for line in file.readlines()]\n"
    )
    found = compare(IMPORTS + LINES, IMPORTS + at_once, WRITTEN + "f(place)", rounds=2)
    assert isinstance(found, Agreement)
    kinds = dict(found.by_kind)
    assert {
        "captured from __main__",
        "empty file",
        "byte order mark",
        "odd line break",
        "blank line in the file",
    } <= kinds.keys()
