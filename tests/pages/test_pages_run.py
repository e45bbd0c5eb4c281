"""Every command that a page shows does its work, where the files are that the page speaks of.

The commands are run by a shell on a terminal, as they stand. A model's answers come from a server of the tests, and
what decides by measured time in `run` is left out. `EXIT_CODES` has the commands whose page shows another end than
success; `ELSEWHERE` those that need more than there is here, with the reason.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pexpect
import pytest
from model_server import ModelServer, StoredRequest, serving
from shown_commands import Shown, shown_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

STAGE = Path(__file__).with_name("stage")
ELSEWHERE = {
    r"anthropic/|ollama/": "needs that provider; the protocols are tested in tests/agent/models",
    r"vllm:": "needs vLLM and a GPU; tests/agent/models/test_vllm.py",
    r"--environment|--sandbox docker|^environment list": "needs a daemon and images; tests/sandbox/environments",
    r"^train (sft|dpo|cold-start|grpo|merge) ": "trains for hours on a GPU; tests/training/trainers",
    r"^sandbox serve": "serves until it is stopped; tests/sandbox/service",
    r"--sandbox http": "needs such a service; tests/sandbox/service",
    r"^selfcheck": "measures for many minutes; tests/agent/selfcheck",
}
EXIT_CODES = {
    r"^verify shop.py": 1,  # the page shows the difference
    r"^train plan .* --device-memory-gib 24": 1,  # and here that it does not fit
}
MEASURES = re.compile(r"^(compare|replay-receipt|ci|sandbox run .*--repeat)\b")
RUN_ID = re.compile(r"\b2\d{7}-\d{6}-[0-9a-f]{6}\b")
OF_A_PROJECT = re.compile(r"^run src/")
WORK = "work"
MODELS = ("OPENAI", "HOSTED_VLLM")
SOLUTIONS = {
    "Print the sum of the numbers in the line.": "print(sum(map(int, input().split())))\n",
    "Which number of the line is the largest? Print it.": "print(max(int(each) for each in input().split()))\n",
}
GENERATOR = """
import random
def generate_test_cases(num_cases, seed=42):
    chance = random.Random(seed)
    lines = [" ".join(str(chance.randint(100, 999)) for _ in range(chance.randint(2, 30))) for _ in range(4)]
    return [{"input": line + chr(10), "output": ""} for line in lines]
"""
SUMMARISE = '''def summarise(orders, known):
    """Count the orders of each known customer."""
    names = set(known)
    counts = {}
    for order in orders:
        if order in names:
            counts[order] = counts.get(order, 0) + 1
    return counts
'''


def runnable() -> list[Any]:
    """Each once; those that measure are to run alone."""
    unique = {shown.text.partition(" #")[0].strip(): shown for shown in shown_commands() if not shown.is_form}
    return [
        pytest.param(shown, marks=[pytest.mark.timed] if MEASURES.search(text) else [], id=f"{shown.page}: {text[:60]}")
        for text, shown in unique.items()
        if not any(re.search(each, text) for each in ELSEWHERE)
    ]


def answers() -> Callable[[StoredRequest, int], str]:
    """A model: of two rewrites of `summarise`, one is better and one is wrong; it solves the problem, and no other."""
    rewrites = itertools.cycle((SUMMARISE, SUMMARISE.replace(" + 1", " + 2")))

    def answer(asked: StoredRequest, _number: int) -> str:
        for description, solution in SOLUTIONS.items():
            if description in asked.prompt:
                return _answer(solution)
        return _answer(next(rewrites)) if "def summarise" in asked.prompt else "I know nothing better."

    return answer


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(ModelServer(answers())) as server:
        yield server.url


@pytest.fixture(scope="module")
def set_up(
    tmp_path_factory: pytest.TempPathFactory,
    new_program: Callable[[Path], CommandLine],
    url: str,
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is none
) -> CommandLine:
    """The program; in its home the files, a git repository, a benchmark, evaluations, data sets and a stored run."""
    timed = new_program(tmp_path_factory.mktemp("pages"))
    program = timed.untimed()
    work = program.home / WORK  # the home itself is no project
    shutil.copytree(STAGE / "flat", work)
    for place in (work / "project", work / "path" / "to"):
        shutil.copytree(STAGE / "project", place)
        shutil.copy(work / "shop" / "stock.py", place / "src" / "shop")
    shutil.copy(work / "report.py", work / "path" / "to")
    shutil.copy(work / "shop" / "stock.py", work / "path" / "to" / "shop.py")
    shutil.copytree(work / "project" / "src", work / "src")
    shutil.copy(work / "report.py", work / "src")
    records = [_problem(number, *each) for number, each in enumerate(SOLUTIONS.items(), start=1)]
    (work / "venus.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    _commit(work)
    small = ("--cases", "2", "--private-cases", "1", "--repeats", "1", "--private-repeats", "1", "--test-share", "0.5")
    run = ("run", "report.py", "--function", "summarise", "--model", "openai/gpt-5", "--iterations", "1")
    evaluated = ("eval", "run", "--dataset", "benchmark", "--model", "openai/gpt-5")
    brief = ("--iterations", "1", "--generations", "1", "--repeats", "2")
    receipt = ("--candidates", "2", "--receipt", "summarise.receipt.json")
    done = timed(*run, *receipt, folder=work, **_models(url))  # a receipt of what was not timed would be refused
    assert "Improved" in done.stdout, done.stderr + done.stdout
    for command in (
        (*run, "--no-cache", "--record", "../answers.jsonl"),
        ("eval", "build", "venus.jsonl", "--out", "benchmark", *small),
        ("eval", "build", "venus.jsonl", "--out", "trial", *small[:-1], "1"),
        (*evaluated, *brief, "--out", "runs/my-model"),
        (*evaluated, *brief, "--out", "runs/other"),
        ("train", "data", "dpo", "--from", "benchmark", "--out", "data/dpo"),
        ("train", "data", "grpo", "--from", "benchmark", "--out", "data/grpo"),
    ):
        done = program(*command, folder=work, **_models(url))
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    for name in ("rules", "model"):
        shutil.copytree(work / "runs" / "my-model", work / "runs" / name)
    (work.parent / "answers.jsonl").rename(work / "answers.jsonl")
    shutil.copytree(program.home, program.home.with_name("saved"), symlinks=True)
    return program


@pytest.fixture
def stage(set_up: CommandLine) -> CommandLine:
    """The same with its home as it was set up: a stored run names the place of its file."""
    shutil.rmtree(set_up.home)
    shutil.copytree(set_up.home.with_name("saved"), set_up.home, symlinks=True)
    return set_up


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("shown", runnable())
def test_a_shown_command_works(shown: Shown, stage: CommandLine, url: str, tmp_path: Path) -> None:
    work = stage.home / WORK
    out = re.search(r"--out (\S+)", shown.text)
    if out is not None:
        shutil.rmtree(work / out[1], ignore_errors=True)  # it is there for the pages' other commands
    (tmp_path / "afterburner-agent").symlink_to(stage.path)
    variables = stage.environment(**_models(url))
    shell = pexpect.spawn(
        "bash",
        ["-c", f"set -o pipefail; afterburner-agent {RUN_ID.sub('latest', shown.text)}"],
        cwd=str(work / "project" if OF_A_PROJECT.search(shown.text) else work),
        env=variables | {"PATH": f"{tmp_path}:{Path(sys.executable).parent}:{variables['PATH']}"},  # type: ignore[arg-type]
        encoding="utf-8",
        timeout=600,
        dimensions=(40, 160),
    )
    said = ""
    while shell.expect([r"\[y/N\]", pexpect.EOF]) == 0:
        said += str(shell.before)
        shell.send("y\n")
    said += str(shell.before)
    shell.close()
    expected = next((code for each, code in EXIT_CODES.items() if re.search(each, shown.text)), 0)
    assert shell.exitstatus == expected, said
    assert "Traceback" not in said


def test_what_cannot_be_run_here_is_still_shown() -> None:
    texts = [shown.text for shown in shown_commands()]
    assert [each for each in (*ELSEWHERE, *EXIT_CODES) if not any(re.search(each, text) for text in texts)] == []


def _problem(number: int, description: str, solution: str) -> dict[str, object]:
    """In the layout of Venus, with 17 solutions of three speeds."""
    cases = [f"{n} {n + 1}\n" for n in range(1, 7)]
    right = [sum(map(int, case.split())) if "sum" in description else int(case.split()[1]) for case in cases]
    codes = [f"for _ in range({n % 3 * 600_000 + n}):\n    pass\n{solution}" for n in range(17)]
    return {
        "problem_id": str(number),
        "title": description.lower(),
        "question_content": description,
        "difficulty": "easy",
        "tags": ["math"],
        "code_prompt": "",
        "test_case_generator": GENERATOR,
        "test_case_evaluator": "",
        "test_case_runners": "==Code Submission==\n",
        "test_cases": json.dumps(
            [{"input": case, "output": f"{answer}\n"} for case, answer in zip(cases, right, strict=True)]
        ),
        "solutions": [{"code": code, "passed": True} for code in codes],
    }


def _commit(home: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=home, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch", "main")
    git("add", ".")
    git("commit", "--quiet", "--message", "Begin")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    git("checkout", "--quiet", "-b", "otherwise")
    report = (home / "report.py").read_text("utf-8")
    (home / "report.py").write_text(report.replace("    counts = {}\n", "    counts = dict()\n"), encoding="utf-8")
    git("commit", "--quiet", "--all", "--message", "Count otherwise")


def _answer(code: str) -> str:
    return f"<thinking>\nLess work.\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"


def _models(url: str) -> dict[str, str]:
    return {f"{name}_{kind}": value for name in MODELS for kind, value in (("API_BASE", url), ("API_KEY", "sk-test"))}
