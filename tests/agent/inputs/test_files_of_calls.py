"""Functions that read files that their main block has written: the files come with the calls."""

from __future__ import annotations

import pytest

from .conftest import Project, every_call, reasons

pytestmark = pytest.mark.slow

MAIN = """
if __name__ == "__main__":
    import tempfile
    from pathlib import Path
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for number in range(3):
            rows = [f"n{row},{row * number}" for row in range(50)]
            (folder / "in" / f"{number}.csv").write_text("\\n".join(["name,price", *rows]))
        CALLS
"""
COUNT = """
def f(path):
    with open(path) as file:
        return sum(int(line.split(",")[1]) for line in file if "1" in line)
"""
FUNCTIONS = {
    "the path of a file": (COUNT, "f(folder / 'in' / '1.csv')\n        f(str(folder / 'in' / '2.csv'))"),
    "a folder": (
        "def f(folder):\n    return sum(len(path.read_text()) for path in sorted(folder.glob('*.csv')))\n",
        "f(folder / 'in')",
    ),
    "a path in an object": (
        (
            "class Shop:\n    def __init__(self, path):\n        self.path = path\n"
            "def f(shop, row):\n    with open(shop.path) as file:\n        return file.readlines()[row]\n"
        ),
        "f(Shop(folder / 'in' / '1.csv'), 3)",
    ),
    "a path that the module holds": (
        "PLACE = ''\ndef f(row):\n    with open(PLACE) as file:\n        return file.readlines()[row]\n",
        "PLACE = str(folder / 'in' / '1.csv')\n        f(2)\n        f(3)",
    ),
    "a path that stands in the code": (
        "def f(row):\n    with open('/tmp/known.csv') as file:\n        return file.readlines()[row]\n",
        "Path('/tmp/known.csv').write_text('a\\nb\\nc\\n')\n        f(1)\n        f(2)",
    ),
    "an open file": (
        "def f(file):\n    next(file)\n    return sum(int(line.split(',')[1]) for line in file)\n",
        "with open(folder / 'in' / '1.csv') as file:\n            f(file)",
    ),
    "a folder to write to": (
        (
            "def f(source, folder):\n    lines = source.read_text().splitlines()\n"
            "    (folder / source.name).write_text('\\n'.join(sorted(lines)))\n    return len(lines)\n"
        ),
        "(folder / 'out').mkdir()\n        f(folder / 'in' / '1.csv', folder / 'out')",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("function", "calls"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_call_is_made_again_with_the_files_that_it_had(project: Project, function: str, calls: str) -> None:
    project.write("shop.py", function + MAIN.replace("CALLS", calls))
    workload = project.workload("shop.py", "f")
    captured = [call for call in every_call(workload) if call.origin == "captured from __main__"]
    assert len(captured) == calls.count("f(") - calls.count("of("), reasons(workload)
    assert all(b'["returned"' in call.expected for call in captured)
