"""`afterburner-agent config` as a person and a program meet it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import pexpect
import pytest

from afterburner.agent.cli.config import _plain
from afterburner.agent.judge.min_effect import remember
from afterburner.agent.machine import describe_machine
from afterburner.sandbox.interpreter import find_interpreter, python_environment

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

HEAVY = {"langgraph", "langchain_core", "litellm", "libcst", "jedi", "hypothesis", "torch", "httpx"}
LIST_MODULES = """
import json, sys
from afterburner.agent.cli.main import main
code = main()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def project(program: CommandLine) -> Path:
    folder = program.home / "shop"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.afterburner]\niterations = 5\nquiet = true\n", encoding="utf-8")
    (folder / "x.py").write_text("def f(): ...\n", encoding="utf-8")
    return folder


def test_in_a_pipe_it_is_one_plain_line_a_setting(program: CommandLine, project: Path) -> None:
    done = program("config", "shop/x.py", "--seed", "3", AFTERBURNER_MAX_SECONDS="90.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = {line.split()[0]: line.split(maxsplit=2)[1:] for line in done.stdout.splitlines()}
    assert lines["--iterations"] == ["5", "shop/pyproject.toml"]
    assert lines["--quiet"] == ["true", "shop/pyproject.toml"]
    assert lines["--max-seconds"] == ["90.5", "AFTERBURNER_MAX_SECONDS"]
    assert lines["--seed"] == ["3", "--seed"]
    assert lines["--objective"] == ["time", "default"]
    assert lines["--python"] == ["-", "default"]
    assert project.is_dir()


def test_without_a_table_it_says_so(program: CommandLine) -> None:
    done = program("config")
    assert "no pyproject.toml sets anything here" in done.stdout
    assert "rules" in done.stdout


def test_on_a_terminal_it_is_a_table_in_colours(program: CommandLine, project: Path) -> None:
    with program.on_terminal("config", "x.py", folder=project) as terminal:
        terminal.expect(r"--iterations\s+5\s+\x1b\[36mpyproject.toml")
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 0


def test_the_json_keeps_its_schema(program: CommandLine, project: Path) -> None:
    schema = json.loads((files("afterburner.agent.cli") / "config-schema.json").read_text("utf-8"))
    done = program("config", "x.py", "--json", "-", folder=project)
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema)
    assert document["schema"] == 1
    assert document["project_file"] == str(project / "pyproject.toml")
    assert "--iterations" in done.stderr, "the table moves to stderr"
    assert program("config", "x.py", "--json", "out.json", folder=project).stdout
    assert json.loads((project / "out.json").read_text("utf-8")) == document


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["x.py", "--json", "x.py"], "this is the file to optimise"),
        (["x.py", "--json", "pyproject.toml"], "this is the project's settings"),
        (["x.py", "--json", "nowhere/out.json"], "there is no folder"),
        (["x.py", "--apply"], "--apply"),
        (["x.py", "y.py"], "y.py"),
        ([" "], "FILE"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    program: CommandLine, project: Path, arguments: list[str], complaint: str
) -> None:
    before = (project / "pyproject.toml").read_bytes()
    done = program("config", *arguments, folder=project)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr
    assert (project / "pyproject.toml").read_bytes() == before


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [["config", "--help"], ["config", "shop/x.py"], ["config", "--json", "-"]])
def test_it_imports_nothing_heavy(program: CommandLine, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES, *arguments],
        cwd=program.home, env=program.environment(), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    modules = set(json.loads(done.stderr.splitlines()[-1]))
    assert "afterburner" in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("postgresql://me:hunter2@db.example:5432/runs", "postgresql://***@db.example:5432/runs"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("ollama/qwen:7b@home", "ollama/qwen:7b@home"),
        (("http://a:b@c", 1), ["http://***@c", 1]),
    ],
)
def test_a_password_in_an_address_is_not_shown(value: object, plain: object) -> None:
    assert _plain(value) == plain


def test_keys_are_never_shown(program: CommandLine, project: Path) -> None:
    keys = {"OPENAI_API_KEY": "sk-private", "AFTERBURNER_SERVICE_TOKEN": "tok-private"}
    done = program("config", "x.py", "--json", "-", folder=project, **keys)
    assert done.returncode == 0
    assert "private" not in done.stdout + done.stderr


def test_the_minimum_effect_is_what_selfcheck_has_found_here(
    program: CommandLine, project: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def min_effect(*arguments: str, **variables: str) -> tuple[Any, Any, Any]:
        done = program("config", "x.py", "--json", "-", *arguments, folder=project, **variables)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)["settings"]["min_effect"]
        assert found["default"] == 0.05
        return found["value"], found["source"], found["where"]

    assert min_effect() == (0.05, "default", None)
    monkeypatch.setenv("XDG_STATE_HOME", str(program.home / ".local" / "state"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    remember(describe_machine(sandbox, python_environment(sandbox, find_interpreter(None, project))), 0.083)
    value, source, where = min_effect()
    assert (value, source) == (0.083, "selfcheck")
    assert where.startswith("set by selfcheck on this machine, 2")
    assert min_effect("--min-effect", "0.05") == (0.05, "command_line", "--min-effect")
    assert min_effect(AFTERBURNER_MIN_EFFECT="0") == (0.0, "environment", "AFTERBURNER_MIN_EFFECT")
    done = program("config", "x.py", folder=project, AFTERBURNER_PYTHON="/nowhere/python")
    assert done.returncode == 0
    assert "what selfcheck found on this machine cannot be read: There is no Python at /nowhere/python" in done.stdout
