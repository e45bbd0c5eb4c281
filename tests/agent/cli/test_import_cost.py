"""A command imports what it uses, and nothing heavy before it has shown what it was given."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

HEAVY = {"litellm", "openai", "aiohttp", "torch", "transformers", "vllm"}
SOURCE = '''\
def total(values):
    """Sum of the squares."""
    result = 0
    for value in values:
        result += value * value
    return result


if __name__ == "__main__":
    print(total(range(20_000)), total(range(30_000)), total([]), total([1, 2]))
'''
WRONG = "<thinking>A builtin.</thinking><solution>\n```python\ndef total(values):\n    return 0\n```\n</solution>"


SMALL = {"afterburner", "annotated_doc", "shellingham", "typer", "org"}  # Python itself looks for org.python of Jython
MOST_MODULES = 350  # of which Python itself needs some sixty, and typer a hundred
MOST_BEFORE_FIRST_LINE = 450  # pydantic and rich, too; with all that a run works with, it is a thousand
FIRST_LINE = "[0:00] prepare: reading "


def imported_modules(log: str) -> list[str]:
    """What a process imported, by its PYTHONPROFILEIMPORTTIME."""
    lines = [line for line in log.splitlines() if line.startswith("import time:")]
    return [line.rpartition("|")[2].strip() for line in lines[1:]]  # the first one is the table's head


def packages(modules: list[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def before_first_line(log: str) -> tuple[list[str], str]:
    """What was imported before a command showed its first line, and that line."""
    imports, line, _ = log.partition(FIRST_LINE)
    assert line, log[-2000:]
    return imported_modules(imports), log[len(imports) :].partition("\n")[0]


@pytest.mark.parametrize("words", [("--version",), ("--help",)])
def test_what_needs_no_work_imports_next_to_nothing(words: tuple[str, ...], program: CommandLine) -> None:
    done = program.afresh(*words, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr[-2000:]
    modules = imported_modules(done.stderr)
    foreign = {
        name for name in packages(modules) - sys.stdlib_module_names if not name.startswith(("_", "sitecustomize"))
    }
    assert foreign - SMALL == set()
    assert "afterburner" in foreign, "the log of imports is not what this test reads"
    assert len(modules) < MOST_MODULES


def test_help_looks_once_at_each_installed_package() -> None:
    script = """
import sys
from collections import Counter
from afterburner.agent.cli.main import main
reads = Counter()
sys.addaudithook(lambda event, given: reads.update([str(given[0])]) if event == "open" else None)
sys.argv = ["afterburner-agent", "--help"]
code = main()
packages = [number for name, number in reads.items() if name.endswith("entry_points.txt")]
print(code, len(packages) > 0, max(packages, default=0))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert "Commands:" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "0 True 1"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("run", "squares.py", "--function", "nothing"), "nothing in squares.py"),
        (("run", "shop"), "shop"),
        (("run", "squares.py", "--top", "2"), "squares.py"),
        (("compare", "squares.py", "missing.py"), "squares.py and missing.py"),
        (("compare", "squares.py", "--base", "v1"), "squares.py at v1 and on disk"),
        (("verify", "squares.py", "--against", "missing.py", "-f", "total"), "total in squares.py and missing.py"),
        (("resume", "latest"), "run latest"),
    ],
)
def test_a_command_shows_what_it_was_given_before_it_imports_what_it_works_with(
    words: tuple[str, ...],
    named: str,
    program: CommandLine,
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
) -> None:
    (program.home / "squares.py").write_text(SOURCE, encoding="utf-8")
    (program.home / "shop").mkdir()
    done = program.afresh(*words, PYTHONPROFILEIMPORTTIME="1")
    modules, line = before_first_line(done.stderr)
    assert line == FIRST_LINE + named
    assert not done.stdout
    assert packages(modules) & (HEAVY | {"langgraph", "langchain_core", "libcst"}) == set()
    assert len(modules) < MOST_BEFORE_FIRST_LINE
    later = set(imported_modules(done.stderr)) - set(modules)
    assert "afterburner.agent.session.one_run" in later, "what it works with is not imported after the line"


def test_a_run_without_a_language_model_imports_none(
    program: CommandLine,
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
) -> None:
    (program.home / "squares.py").write_text(SOURCE, encoding="utf-8")
    (program.home / "answers.jsonl").write_text(json.dumps({"content": WRONG}) + "\n", encoding="utf-8")
    options = ("--function", "total", "--model", "rules,replay:answers.jsonl", "--iterations", "1", "--json", "-")
    done = program.untimed().afresh("run", "squares.py", *options, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["candidates"]
    imported = packages(imported_modules(done.stderr))
    assert {"afterburner", "langgraph", "libcst"} <= imported, "the log of imports is not what this test reads"
    assert imported & HEAVY == set()
    assert "libcst.matchers" not in imported_modules(done.stderr), "it takes longer to import than libcst itself"
    assert not list(program.home.rglob("answers.sqlite"))
