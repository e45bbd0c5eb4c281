"""The switch under which a skipped test is a failure, and the parameters that are left to the night."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TESTS = """
import pytest

def test_passes(): pass

def test_skips(): pytest.skip("no reason at all")

@pytest.mark.skipif(True, reason="never")
def test_is_never_run(): pass

@pytest.mark.xfail(reason="known")
def test_is_expected_to_fail(): assert False

@pytest.mark.needs_gpu
def test_needs_an_accelerator(): pytest.skip("none here")

@pytest.mark.needs_key
def test_needs_a_key(): pytest.skip("none here")
"""


@pytest.fixture
def outcomes(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., str]:
    """Runs files of tests beside a copy of our own configuration."""
    tests = request.config.rootpath / "tests"
    shutil.copy(tests / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")  # else pytest takes one that lies anywhere above
    options = ["-o", f"pythonpath={tests / 'command_line'}", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]

    def run(switch: str, *words: str, **files: str) -> str:
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *options, *words, str(tmp_path)],
            env=os.environ | {"AFTERBURNER_NO_SKIPS": switch, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    return run


def test_without_the_switch_skips_are_skips(outcomes: Callable[..., str]) -> None:
    assert "1 passed, 4 skipped, 1 xfailed" in outcomes("", some=TESTS)


def test_with_it_they_fail_unless_marked(outcomes: Callable[..., str]) -> None:
    said = outcomes("1", some=TESTS)
    assert "1 failed, 1 passed, 2 skipped, 1 xfailed, 1 error" in said
    assert "no reason at all" in said
    assert "never" in said


def test_a_file_that_skips_itself_fails_as_well(outcomes: Callable[..., str]) -> None:
    whole = "import pytest\npytest.skip('not here', allow_module_level=True)\n"
    assert "1 skipped" in outcomes("0", whole=whole)
    said = outcomes("1", whole=whole)
    assert "error" in said
    assert "not here" in said


SAMPLED = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "value", [pytest.param("a", marks=pytest.mark.nightly), "b", "c", "d", pytest.param("e", marks=pytest.mark.nightly)]
)
def test_one(value): assert value in "bc"

@pytest.mark.parametrize("value", ["b", "c"])
def test_whole(value): pass
"""


def test_early_tests_come_first_and_the_others_keep_their_order(outcomes: Callable[..., str]) -> None:
    late = "def test_one(): pass\n\ndef test_two(): pass\n"
    early = "import pytest\n\n@pytest.mark.early\ndef test_long(): pass\n\ndef test_short(): pass\n"
    said = outcomes("", "--collect-only", a=late, b=early)
    order = [line.rpartition("::")[2] for line in said.splitlines() if "::" in line]
    assert order == ["test_long", "test_one", "test_two", "test_short"]


def test_of_a_sampled_test_the_first_parameters_run_that_are_not_nightly_anyway(outcomes: Callable[..., str]) -> None:
    assert "4 passed, 3 deselected" in outcomes("", "-m", "not nightly", some=SAMPLED)
    said = outcomes("", "-m", "nightly", some=SAMPLED)
    assert "3 failed, 4 deselected" in said
    assert "value = 'd'" in said
