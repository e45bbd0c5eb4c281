"""A run imports what it uses: without a language model, nothing that talks to one."""

from __future__ import annotations

import json
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
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert {"afterburner", "langgraph", "libcst"} <= imported, "the log of imports is not what this test reads"
    assert imported & HEAVY == set()
    assert not list(program.home.rglob("answers.sqlite"))
