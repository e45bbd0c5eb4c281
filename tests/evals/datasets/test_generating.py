"""Test cases made by a dataset's own generator: it is third-party code, and may do anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.evals.datasets.generating import run_generator
from afterburner.evals.errors import RecordError
from afterburner.sandbox import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

SHORT = Limits(wall_time_s=3.0, cpu_time_s=3.0, memory_kib=262_144, output_bytes=1_000_000)
SUMS = """
import random
def generate_test_cases(num_cases, seed=42):
    print("making them")
    chance = random.Random(seed)
    made = []
    for _ in range(num_cases):
        a, b = chance.randint(0, 9), chance.randint(0, 9)
        made.append({"input": f"{a} {b}\\n", "output": None if a == b else str(a + b)})
    return made
"""


def test_makes_the_cases_that_the_seed_determines(sandbox: Sandbox) -> None:
    """As many as asked, the same for the same seed; what the generator prints is no part of them."""
    made = run_generator(sandbox, SUMS, 20, 7, SHORT)
    again = run_generator(sandbox, SUMS, 20, 7, SHORT)
    others = run_generator(sandbox, SUMS, 20, 8, SHORT)

    assert len(made) == 20
    assert made == again
    assert made != others
    for case in made:
        first, second = map(int, case["input"].split())
        assert case["output"] == (None if first == second else str(first + second))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("while True: pass", "stopped after 3 s"),
        ("import sys\n    while True: sys.__stderr__.write('x' * 4096)", "wrote more than"),
        ("import os\n    while True: os.write(2, b'x' * 4096)", "wrote more than"),
        ("import os\n    while True: os.fork()", "failed in the sandbox"),
        ("import os\n    os._exit(0)", "printed no JSON"),
        ("import os\n    os._exit(3)", "failed in the sandbox"),
        ("raise ValueError('no such thing')", "no such thing"),
        ("return bytearray(10 ** 9)", "failed in the sandbox"),
        ("import os\n    os.write(3, b'garbage')\n    os._exit(0)", "printed no JSON"),
        ("return []", "an empty list"),
        ("return 17", "failed in the sandbox"),
        ("return ['1 2']", "case 1"),
        ("return [{'input': 1, 'output': 'x'}]", "a int as input"),
        ("return [{'input': 'x', 'output': ['y']}]", "a list as output"),
        ("return [{'output': 'y'}]", "a NoneType as input"),
    ],
)  # fmt: skip
def test_refuses_a_generator_that_makes_none(sandbox: Sandbox, body: str, said: str) -> None:
    """Whatever it does instead becomes an error of the record that says so."""
    with pytest.raises(RecordError, match=said) as caught:
        run_generator(sandbox, f"def generate_test_cases(num_cases, seed=42):\n    {body}\n", 3, limits=SHORT)
    assert caught.value.field == "test_case_generator"


@pytest.mark.parametrize("source", ["def generate_test_cases(:", "x = 1", "import no_such_module_at_all"])
def test_refuses_a_source_that_is_no_generator(sandbox: Sandbox, source: str) -> None:
    """A source that does not compile, or defines something else."""
    with pytest.raises(RecordError, match="failed in the sandbox"):
        run_generator(sandbox, source, 3, limits=SHORT)


def test_shows_a_generator_nothing_of_the_host(sandbox: Sandbox, tmp_path: Path) -> None:
    """It can neither read nor write the host's files, nor see the host's environment."""
    secret = tmp_path / "secret"
    secret.write_text("a secret", encoding="utf-8")
    source = f"""
import os
def generate_test_cases(num_cases, seed=42):
    try:
        text = open({str(secret)!r}).read()
    except OSError:
        text = "nothing"
    try:
        open({str(tmp_path / "written")!r}, "w").write("x")
    except OSError:
        pass
    return [{{"input": text + " " + os.environ.get("HOME", ""), "output": None}}]
"""
    made = run_generator(sandbox, source, 1, limits=SHORT)

    assert "a secret" not in made[0]["input"]
    assert not (tmp_path / "written").exists()
