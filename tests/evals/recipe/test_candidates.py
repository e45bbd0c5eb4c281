"""Where the inputs of a problem come from, whatever its generator does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.recipe.candidates import Pool, find_candidates

if TYPE_CHECKING:
    from pathlib import Path


def test_private_inputs_are_of_another_seed(sums: Any) -> None:
    """No input is there twice, and the same seed gives the same ones."""
    found, again = (find_candidates(sums.sandbox, sums.raw(), sums.settings) for _ in range(2))
    assert found.found == again.found
    inputs = [each.stdin for each in found.found]
    assert len(set(inputs)) == len(inputs)
    assert [len(found.of(pool)) for pool in (Pool.STORED, Pool.PUBLIC, Pool.PRIVATE)] == [4, 4, 3]
    other = find_candidates(sums.sandbox, sums.raw(), replace(sums.settings, seed=7))
    assert not {each.stdin for each in other.of(Pool.PUBLIC)} & set(inputs)


def test_a_public_input_never_becomes_private(sums: Any) -> None:
    """A generator that makes the same for every seed makes no private cases; nor is a stored input generated."""
    generator = (
        "def generate_test_cases(num_cases, seed=42):\n"
        "    made = ['1 2', ' 7 8 ', '500 600', '700 800', '900 910']\n"
        "    return [{'input': each, 'output': ''} for each in made][:num_cases]\n"
    )
    found = find_candidates(sums.sandbox, sums.raw(generator=generator, cases=(("1 2\n", "3"),)), sums.settings)
    assert [each.stdin for each in found.of(Pool.STORED)] == [b"1 2\n"]
    public, private = ([each.stdin.split() for each in found.of(pool)] for pool in (Pool.PUBLIC, Pool.PRIVATE))
    assert public == [[b"7", b"8"], [b"500", b"600"], [b"700", b"800"]]
    assert private == []


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import os\n    while True: os.fork()",
        "import os\n    os._exit(0)",
        "return [1, 2, 3]",
        "return 'x' * 10**12",
        "return [{'input': None}] * num_cases",
        "return []",
        'print(\'[{"input": "1 2"}]\')\n    raise SystemExit',
        "yield {'input': '1 2'}\n    while True: pass",
    ],
)
def test_a_bad_generator_leaves_the_stored_cases(sums: Any, body: str) -> None:
    """There are enough of them for both sides, and a note says what the generator did."""
    generator = f"def generate_test_cases(num_cases, seed=42):\n    {body}\n"
    found = find_candidates(sums.sandbox, sums.raw(generator=generator), replace(sums.settings, generator_seconds=1.0))
    assert [each.pool for each in found.found] == [Pool.STORED] * 6
    assert len(found.notes) == 1
    assert found.notes[0].startswith("The generator made no public cases: test_case_generator: ")


def test_a_hostile_generator_reaches_nothing(sums: Any, tmp_path: Path) -> None:
    """It runs in the sandbox: no file of ours, no network."""
    target = tmp_path / "written"
    generator = (
        "import socket, subprocess\n"
        "def attempt(what):\n"
        "    try:\n        return what()\n"
        "    except Exception as error:\n        return type(error).__name__\n"
        "def generate_test_cases(num_cases, seed=42):\n"
        f"    attempt(lambda: open({str(target)!r}, 'w').write('x'))\n"
        f"    attempt(lambda: subprocess.run(['touch', {str(target)!r}]))\n"
        "    told = attempt(lambda: socket.create_connection(('1.1.1.1', 53), timeout=1))\n"
        "    return [{'input': f'{told} {each}', 'output': ''} for each in range(num_cases)]\n"
    )
    found = find_candidates(sums.sandbox, sums.raw(generator=generator), sums.settings)
    assert not target.exists()
    assert found.of(Pool.PUBLIC)
    assert all(each.stdin.startswith(b"OSError") for each in found.of(Pool.PUBLIC))
