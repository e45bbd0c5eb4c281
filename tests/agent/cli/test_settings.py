"""Four layers of settings, as the real command line merges them: the strongest counts, and errors name their place."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
import typer.core

from afterburner.agent.cli.run import app
from afterburner.agent.cli.settings import (
    OTHER_PREFIX,
    OTHER_VARIABLES,
    PREFIX,
    SettingsCommand,
    settings_of,
    variable_of,
)

if TYPE_CHECKING:
    from conftest import CommandLine

ROOT = Path(__file__).parents[3]
# Texts that a project file may set without trust. One that names a model, a file, an address or a program needs one of
# the metavars in project_file.py instead; docs/settings.md says why.
FREE_TEXTS = {"assume", "language", "search", "tell", "temperature"}


@pytest.fixture
def project(program: CommandLine) -> Path:
    """A project with a module in a sub-folder."""
    folder = program.home / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "stock.py").write_text("def value(): ...\n", encoding="utf-8")
    return folder


def write(folder: Path, *lines: str, table: str = "[tool.afterburner]") -> Path:
    path = folder / "pyproject.toml"
    path.write_text("\n".join(('[project]\nname = "shop"', table, *lines)) + "\n", encoding="utf-8")
    return path


def in_force(program: CommandLine, project: Path, *arguments: str, **variables: str) -> dict[str, Any]:
    done = program("config", "src/stock.py", "--json", "-", *arguments, folder=project, **variables)
    assert done.returncode == 0, done.stderr
    settings = json.loads(done.stdout)["settings"]
    assert isinstance(settings, dict)
    return settings


def told(setting: dict[str, Any]) -> tuple[Any, Any, Any]:
    return setting["value"], setting["source"], setting["where"]


def test_each_layer_wins_over_the_ones_below_it(program: CommandLine, project: Path) -> None:
    assert told(in_force(program, project)["iterations"]) == (4, "default", None)
    path = write(project, "iterations = 5", "max-seconds = 60", "seed = 1")
    settings = in_force(program, project)
    assert told(settings["iterations"]) == (5, "project", str(path))
    assert told(settings["max_seconds"]) == (60.0, "project", str(path))
    settings = in_force(program, project, AFTERBURNER_ITERATIONS="6", AFTERBURNER_SEED="2")
    assert told(settings["iterations"]) == (6, "environment", "AFTERBURNER_ITERATIONS")
    assert told(settings["max_seconds"]) == (60.0, "project", str(path))
    settings = in_force(program, project, "--iterations", "7", AFTERBURNER_ITERATIONS="6", AFTERBURNER_SEED="2")
    assert told(settings["iterations"]) == (7, "command_line", "--iterations")
    assert told(settings["seed"]) == (2, "environment", "AFTERBURNER_SEED")
    assert told(settings["candidates"]) == (1, "default", None)


def test_a_value_that_equals_the_default_still_has_its_origin(program: CommandLine, project: Path) -> None:
    path = write(project, "iterations = 4", "quiet = false")
    settings = in_force(program, project, "--seed", "0", AFTERBURNER_OBJECTIVE="time")
    assert told(settings["iterations"]) == (4, "project", str(path))
    assert told(settings["quiet"]) == (False, "project", str(path))
    assert told(settings["seed"]) == (0, "command_line", "--seed")
    assert told(settings["objective"]) == ("time", "environment", "AFTERBURNER_OBJECTIVE")


def test_integers_floats_switches_and_choices_of_toml(program: CommandLine, project: Path) -> None:
    write(
        project, 'objective = "Memory"', "candidates = 3", "max_seconds = 1.5e1", "float-tolerance = 1e-9",
        "min_effect = 0", "deterministic = true",
    )  # fmt: skip
    values = {name: each["value"] for name, each in in_force(program, project).items()}
    assert values["objective"] == "memory"
    assert (values["candidates"], values["max_seconds"]) == (3, 15.0)
    assert (values["float_tolerance"], values["min_effect"], values["deterministic"]) == (1e-9, 0.0, True)


@pytest.mark.parametrize(
    ("arguments", "variables", "value"),
    [
        ([], {}, True),
        (["--no-deterministic"], {}, False),
        ([], {"AFTERBURNER_DETERMINISTIC": "0"}, False),
        ([], {"AFTERBURNER_DETERMINISTIC": ""}, True),  # an empty variable is none
        (["--deterministic"], {"AFTERBURNER_DETERMINISTIC": "no"}, True),
    ],
)
def test_a_switch_can_be_put_off_by_any_stronger_layer(
    program: CommandLine, project: Path, arguments: list[str], variables: dict[str, str], value: bool
) -> None:
    write(project, "deterministic = true")
    assert in_force(program, project, *arguments, **variables)["deterministic"]["value"] is value


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("iterations = 0", "iterations = 0: "),
        ("iterations = 4.5", "iterations = 4.5: this has to be an integer."),
        ('iterations = "4"', 'iterations = "4": this has to be an integer.'),
        ("iterations = true", "iterations = true: this has to be an integer."),
        ("seed = 4294967296", "seed = 4294967296: "),
        (f"seed = 0x{'f' * 5000}", "more than 64 bits"),
        ("max-seconds = nan", "max_seconds = nan: nan is not a number above 0."),
        ('max-seconds = "1 min"', "this has to be a number."),
        ("min_effect = -0.1", "min_effect = -0.1: -0.1 is not a number of 0 or more."),
        ('temperature = "hot"', 'temperature = "hot": this is not a temperature. Give one number'),
        ('tell = "gossip"', "tell = \"gossip\": --tell knows no 'gossip'."),
        ('tell = "no-feedback,numbers"', "no-feedback leaves the numbers out"),
        ('deterministic = "yes"', "this has to be true or false."),
        ('objective = "speed"', "'speed' is not one of 'time', 'memory', 'integral'."),
        ("objective = 3", "this has to be a string: one of time, memory, integral."),
        ("objective = ['time']", "objective = […]: this has to be a string"),
        ("seed = 2026-01-01", "seed = 2026-01-01: this has to be an integer."),
        ("iteration = 3", "iteration: there is no such setting. Did you mean iterations?"),
        ("'max seconds' = 3", "Did you mean max-seconds?"),
        ('api_key = "sk-secret"', "api_key: there is no such setting."),
        ("apply = true", "apply: --apply is given on the command line only; remove this line."),
        ('json = "out.json"', "json: --json is given on the command line only"),
        ("max-seconds = 3\nmax_seconds = 4", "max_seconds: it is there twice"),
        ("[tool.afterburner.iterations]", "iterations = {…}: this has to be an integer."),
        ("iterations = ", "is not valid TOML: "),
        ("iterations = 4\niterations = 5", "is not valid TOML: "),
        (f"seed = {'[' * 100_000}", "is not valid TOML: "),
    ],
)
def test_what_is_wrong_in_the_project_file_is_one_line_with_its_place(
    program: CommandLine, project: Path, line: str, complaint: str
) -> None:
    path = write(project, line)
    done = program("run", "src/stock.py", folder=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}: ")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert "sk-secret" not in done.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"[tool]\nafterburner = 3\n", "tool.afterburner has to be a table: write [tool.afterburner]."),
        (b"[[tool.afterburner]]\n", "tool.afterburner has to be a table"),
        (b'[project]\nname = "\xff"\n', "is not UTF-8"),
        (b'[tool.afterburner]\n"\\u001b]0;x" = 1\n', "\\x1b]0;x: there is no such setting."),
    ],
)
def test_a_project_file_that_is_no_such_thing(
    program: CommandLine, project: Path, content: bytes, complaint: str
) -> None:
    (project / "pyproject.toml").write_bytes(content)
    done = program("config", "src/stock.py", folder=project)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("AFTERBURNER_ITERATIONS", "0", "AFTERBURNER_ITERATIONS=0: "),
        ("AFTERBURNER_ITERATIONS", "many", "AFTERBURNER_ITERATIONS=many: "),
        ("AFTERBURNER_MAX_SECONDS", "inf", "AFTERBURNER_MAX_SECONDS=inf: inf is not a number above 0."),
        ("AFTERBURNER_OBJECTIVE", "speed", "'speed' is not one of 'time', 'memory', 'integral'."),
        ("AFTERBURNER_DETERMINISTIC", "maybe", "AFTERBURNER_DETERMINISTIC=maybe: "),
        ("AFTERBURNER_MODEL", " ", "AFTERBURNER_MODEL=: it is empty."),
        ("AFTERBURNER_TEMPERATURE", "3", "AFTERBURNER_TEMPERATURE=3: this is not a temperature. Give one number"),
        ("AFTERBURNER_TELL", "gossip", "AFTERBURNER_TELL=gossip: --tell knows no 'gossip'."),
        ("AFTERBURNER_ALLOW_IMPORTS", "a b", "AFTERBURNER_ALLOW_IMPORTS=a b: --allow-imports takes names such as"),
        ("AFTERBURNER_TIMEOUT", "0", "AFTERBURNER_TIMEOUT=0: 0 is not a number above 0."),
        ("AFTERBURNER_RETRIES", "-1", "AFTERBURNER_RETRIES=-1: "),
    ],
)
def test_a_wrong_variable_is_one_line_that_names_it(
    program: CommandLine, project: Path, variable: str, value: str, complaint: str
) -> None:
    write(project, "iterations = 5")
    done = program("run", "src/stock.py", folder=project, **{variable: value})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: ")
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("line", "variables"),
    [
        ("iterations = 0", {}),
        ("iterations = 5", {"AFTERBURNER_ITERATIONS": "many"}),
        ('temperature = "hot"', {}),
        ("", {"AFTERBURNER_TEMPERATURE": "hot"}),
        ("", {"AFTERBURNER_TELL": "gossip"}),
        ("", {"AFTERBURNER_ALLOW_IMPORTS": "all,numpy"}),
    ],
)
def test_config_fails_where_run_would_and_in_the_same_words(
    program: CommandLine, project: Path, line: str, variables: dict[str, str]
) -> None:
    write(project, line)
    said = [program(command, "src/stock.py", folder=project, **variables) for command in ("run", "config")]
    assert [done.returncode for done in said] == [2, 2]
    assert said[0].stderr == said[1].stderr != ""


def test_a_wrong_option_is_still_called_by_its_name(program: CommandLine, project: Path) -> None:
    write(project, "iterations = 5")
    done = program("run", "src/stock.py", "--iterations", "0", folder=project, AFTERBURNER_ITERATIONS="x")
    assert done.returncode == 2
    assert "'--iterations'" in done.stderr
    assert "AFTERBURNER" not in done.stderr


def test_variables_that_set_nothing_are_named_without_their_values(program: CommandLine, project: Path) -> None:
    variables = {
        "AFTERBURNER_ITERATION": "private-1",
        "AFTERBURNER_APPLY": "private-2",
        "AFTERBURNER_OPENAI_API_KEY": "private-3",
        "AFTERBURNER_NO_SKIPS": "1",
        "AFTERBURNER_SERVICE_TOKEN": "private-4",
        "AFTERBURNER_TEST_IMAGE": "x",
        "AFTERBURNER_DEBUG": "0",
    }
    done = program("config", folder=project, **variables)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "warning: the variable AFTERBURNER_APPLY sets nothing. --apply is given on the command line only.",
        "warning: the variable AFTERBURNER_ITERATION sets nothing. Did you mean AFTERBURNER_ITERATIONS?",
        "warning: the variable AFTERBURNER_OPENAI_API_KEY sets nothing. `afterburner-agent config` lists the settings.",
    ]
    assert "private" not in done.stdout + done.stderr


def run_command() -> SettingsCommand:
    command = typer.main.get_command(app)
    assert isinstance(command, SettingsCommand)
    return command


def test_every_variable_that_the_program_reads_is_known() -> None:
    listed = subprocess.run(
        ["git", "grep", "-hoE", "AFTERBURNER_[A-Z][A-Z_]*", "--", "*.py", "*.sh", "Makefile", ".ci/run", ":!tests"],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    ).stdout  # fmt: skip
    used = set(listed.split())
    known = OTHER_VARIABLES | {variable_of(each.name) for each in settings_of(run_command().params)}
    assert used, "nothing was searched"
    assert {each for each in used - known if not each.startswith(OTHER_PREFIX)} == set()


def test_every_option_is_a_setting_or_is_named_as_none() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    command = run_command()
    settings = {each.name for each in settings_of(command.params)}
    for parameter in command.params:
        if parameter.param_type_name == "option" and parameter.name not in settings:
            assert f"`--{parameter.name.replace('_', '-')}`" in page, parameter.name
        elif parameter.param_type_name == "option":
            assert parameter.envvar == f"{PREFIX}{parameter.name.upper()}"


def test_somebody_has_thought_about_every_text_that_a_project_may_set() -> None:
    command = run_command()
    project_settings = command.known()[0]
    texts = {name for name, each in project_settings.items() if each.is_text and not each.needs_trust}
    assert texts <= FREE_TEXTS, "may a stranger's project set this? See docs/settings.md"
    assert {name for name, each in project_settings.items() if each.needs_trust} >= {
        "allow_imports",
        "fallback",
        "model",
        "python",
    }


def test_the_page_names_every_setting_that_a_project_may_or_may_not_set() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    trusted, free = page.partition("## What a project may not set by itself")[2].split("may still set by itself")
    for name, setting in run_command().known()[0].items():
        part = trusted if setting.needs_trust else free
        assert f"`{name.replace('_', '-')}`" in part, name
