"""What the README promises of the examples, kept on copies of them. How much is gained: `make verify-examples`."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
PROGRAM = Path(sys.executable).with_name("afterburner-agent")
COMMANDS = {
    Path(words.split()[0]).stem: shlex.split(words)
    for words in re.findall(
        r"`afterburner-agent run (examples/\w+\.py[^`]*)`", (EXAMPLES / "README.md").read_text(encoding="utf-8")
    )
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a copy of the examples, to be changed at will."""
    run(["git", "init", "--quiet", tmp_path], check=True)
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return tmp_path


def pytest_in(folder: Path, name: str = "") -> CompletedProcess[str]:
    tests = f"examples/tests/test_{name}.py" if name else "examples/tests"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
    return run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_readme_names_every_example() -> None:
    assert sorted(COMMANDS) == sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert sorted(COMMANDS) == sorted(path.stem.removeprefix("test_") for path in EXAMPLES.glob("tests/test_*.py"))


@pytest.mark.slow
def test_the_examples_pass_their_own_tests(checkout: Path) -> None:
    done = pytest_in(checkout)
    assert done.returncode == 0, done.stdout


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name, words in COMMANDS.items() if "--cases" not in words))
def test_an_example_prints_a_report_and_always_the_same(name: str) -> None:
    """Otherwise neither captured calls nor timings of the whole file would mean anything."""
    outputs = {
        run(
            [sys.executable, "-W", "error", EXAMPLES / f"{name}.py"],
            env={"PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") >= 3


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_rules_improve_it_and_its_tests_still_pass(checkout: Path, name: str) -> None:
    original = (EXAMPLES / f"{name}.py").read_bytes()
    done = run(
        [PROGRAM, "run", *COMMANDS[name], "--model", "rules", "--apply", "--yes", "--json", "result.json"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads((checkout / "result.json").read_text(encoding="utf-8"))
    assert result["decision"] == "improved", done.stdout
    assert result["held_out"]["passed"]
    assert result["held_out"]["inputs"] > 0
    assert result["offer"]["applied"]
    applied = (checkout / "examples" / f"{name}.py").read_bytes()
    assert applied != original
    tests = pytest_in(checkout, name)
    assert tests.returncode == 0, tests.stdout
    # The patch that was shown is the change that was made.
    (checkout / "examples" / f"{name}.py").write_bytes(original)
    (checkout / "shown.patch").write_text(result["patch"], encoding="utf-8")
    run(["git", "apply", "-p1", "shown.patch"], cwd=checkout, check=True)
    assert (checkout / "examples" / f"{name}.py").read_bytes() == applied
