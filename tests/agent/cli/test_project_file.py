"""Which pyproject.toml counts, and what it may set: it comes with the project, which may be a stranger's."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

TRUST = "AFTERBURNER_TRUSTED_PROJECTS"


def write(folder: Path, *lines: str, table: str = "[tool.afterburner]") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text("\n".join((table, *lines)) + "\n", encoding="utf-8")
    return path


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def config(program: CommandLine, *arguments: str, folder: Path | None = None, **variables: str) -> dict[str, Any]:
    done = program("config", *arguments, "--json", "-", folder=folder, **variables)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def test_the_nearest_file_with_a_table_counts_and_no_other(program: CommandLine) -> None:
    top = repository(program.home / "shop")
    outer = write(top, "iterations = 5", "seed = 1")
    write(top / "libs" / "stock", 'name = "stock"', table="[project]")
    inner = write(top / "apps" / "till", "iterations = 6")
    found = config(program, str(top / "libs" / "stock" / "src" / "value.py"))
    assert found["project_file"] == str(outer)  # the nearer one says nothing of us; the folder src need not be there
    found = config(program, "value.py", folder=inner.parent)
    assert found["project_file"] == str(inner)
    assert found["settings"]["iterations"]["value"] == 6
    assert found["settings"]["seed"]["source"] == "default", "tables are not merged"


def test_the_search_ends_at_the_top_of_the_repository(program: CommandLine) -> None:
    write(program.home / "work", "iterations = 5")
    inner = repository(program.home / "work" / "shop")
    assert config(program, "x.py", folder=inner)["project_file"] is None


def test_a_folder_in_place_of_a_file_and_nothing_at_all(program: CommandLine) -> None:
    path = write(program.home / "shop", "iterations = 5")
    assert config(program, "shop")["project_file"] == str(path)
    assert config(program, folder=path.parent)["project_file"] == str(path)
    assert config(program)["project_file"] is None


@pytest.mark.parametrize("mode", [0o1777, 0o777, 0o703, 0o1775], ids=oct)
def test_a_file_in_a_folder_that_all_may_write_to_is_not_looked_at(program: CommandLine, mode: int) -> None:
    folder = program.home / "shared"
    path = write(folder, "iterations = 5")
    folder.chmod(0o775)
    assert config(program, "x.py", folder=folder)["project_file"] == str(path)
    folder.chmod(mode)
    assert config(program, "x.py", folder=folder)["project_file"] is None


def test_what_is_no_plain_file_is_passed_over(program: CommandLine) -> None:
    folder = repository(program.home / "shop")
    os.mkfifo(folder / "pyproject.toml")
    (folder / "src" / "pyproject.toml").mkdir(parents=True)
    assert config(program, "src/x.py", folder=folder)["project_file"] is None


def test_a_file_that_is_not_there_is_named(program: CommandLine) -> None:
    (program.home / "x.py").touch()
    there, missing = (program("config", name, folder=program.home) for name in ("x.py", "y.py"))
    assert "not there" not in there.stdout
    assert "y.py is not there" in missing.stdout
    assert missing.returncode == 0, "it may be about to be written"


def test_impossible_paths_are_left_to_those_who_read_the_file(program: CommandLine) -> None:
    for name in ("a" * 5000, f"{'a' * 300}/x.py", "nowhere/x.py"):
        assert config(program, name)["project_file"] is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("line", "option", "variable"),
    [
        ('model = "openai/gpt-5"', ["--model", "rules"], {"AFTERBURNER_MODEL": "rules"}),
        ('model = "replay:/etc/passwd"', ["--model", "rules"], {"AFTERBURNER_MODEL": "rules"}),
        ('python = "./launcher"', ["--python", "python3"], {"AFTERBURNER_PYTHON": "python3"}),
        ('allow-imports = "all"', ["--allow-imports", "numpy"], {"AFTERBURNER_ALLOW_IMPORTS": "numpy"}),
    ],
)
def test_a_stranger_chooses_no_model_and_no_program(
    program: CommandLine, line: str, option: list[str], variable: dict[str, str]
) -> None:
    folder = program.home / "shop"
    path = write(folder, line, "iterations = 5")
    name = line.partition(" ")[0].replace("-", "_")
    for command in ("run", "config"):
        done = program(command, "x.py", folder=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(
            f"error: {path}: [tool.afterburner] {line}: a project may not set this by itself."
        )
        assert f"AFTERBURNER_{name.upper()}" in done.stderr
        assert TRUST in done.stderr
        assert done.stderr.count("\n") == 1
    for settings in (
        config(program, "x.py", *option, folder=folder)["settings"],
        config(program, "x.py", folder=folder, **variable)["settings"],
    ):
        assert settings[name]["value"] == option[1], "who says it themselves is not bothered"
        assert settings["iterations"]["value"] == 5


def test_a_launcher_that_a_project_names_is_never_started_on_the_host(program: CommandLine) -> None:
    folder = program.home / "shop"
    write(folder, 'python = "./launcher"')
    (folder / "x.py").write_text("def f(): ...\n", encoding="utf-8")
    launcher = folder / "launcher"
    launcher.write_text(f"#!/bin/sh\ntouch {program.home}/started\n", encoding="utf-8")
    launcher.chmod(0o755)
    done = program("run", "x.py", folder=folder)
    assert done.returncode == 2
    assert "may not set this" in done.stderr
    assert not (program.home / "started").exists()


def test_a_trusted_project_may(program: CommandLine) -> None:
    folder = program.home / "work" / "shop"
    path = write(folder, 'model = "openai/gpt-5"', 'python = ".venv/bin/python"')
    (folder / "src").mkdir()
    for trusted in (folder, program.home / "work", f"/nowhere:{folder}:", "~/work"):
        settings = config(program, "x.py", folder=folder / "src", **{TRUST: str(trusted)})["settings"]
        assert (settings["model"]["value"], settings["model"]["where"]) == ("openai/gpt-5", str(path))
        assert settings["python"]["value"] == str(folder / ".venv" / "bin" / "python")


@pytest.mark.parametrize("trusted", ["", ".", "work", "/nowhere", "{home}/wor", "{home}/work/shop/src"])
def test_other_folders_are_not_trusted(program: CommandLine, trusted: str) -> None:
    folder = program.home / "work" / "shop"
    write(folder, 'model = "openai/gpt-5"')
    done = program("config", "x.py", folder=folder, **{TRUST: trusted.format(home=program.home)})
    assert done.returncode == 2
    assert "may not set this" in done.stderr


def test_a_link_into_a_trusted_folder_is_what_it_leads_to(program: CommandLine) -> None:
    write(program.home / "stranger", 'model = "openai/gpt-5"')
    (program.home / "work").mkdir()
    (program.home / "work" / "theirs").symlink_to(program.home / "stranger")
    done = program("config", "work/theirs/x.py", **{TRUST: str(program.home / "work")})
    assert done.returncode == 2
    assert "may not set this" in done.stderr


def test_the_default_needs_no_trust(program: CommandLine) -> None:
    folder = program.home / "shop"
    write(folder, 'model = "rules"')
    assert config(program, "x.py", folder=folder)["settings"]["model"]["source"] == "project"


def test_how_many_targets_a_folder_has_is_no_matter_of_a_single_file(program: CommandLine) -> None:
    write(program.home, "top = 5")
    (program.home / "x.py").write_text("def f(n):\n    return n\n", encoding="utf-8")
    for variables in ({}, {"AFTERBURNER_TOP": "4"}):
        done = program("run", "x.py", "--function", "nowhere", folder=program.home, **variables)
        assert (done.returncode, "nowhere" in done.stderr, "--top" in done.stderr) == (2, True, False), done.stderr
    asked_for = program("run", "x.py", "--function", "f", "--top", "2", folder=program.home)
    assert (asked_for.returncode, "without --top" in asked_for.stderr) == (2, True), asked_for.stderr
