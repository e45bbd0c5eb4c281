"""`afterburner-agent init`: everything is shown before it is written, and what is there stays."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest
import yaml

from afterburner.agent.init.changes import Change, editor_settings, settings_table, workflow
from afterburner.agent.types import Objective
from afterburner.sandbox import AfterburnerError, UsageError

if TYPE_CHECKING:
    from conftest import CommandLine

ROOT = Path(__file__).parents[3]
ACTION = "example/afterburner-agent@0123456789012345678901234567890123456789"
PYPROJECT = '# ours\n[project]\nname = "shop" # a comment\nversion = "1"\n'


def files_in(folder: Path) -> set[str]:
    """All files but those of the program's own state."""
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    return {name for name in found if not name.startswith((".local", ".cache"))}


def test_everything_at_once_on_request(program: CommandLine) -> None:
    (program.home / ".git").mkdir()
    (program.home / "pyproject.toml").write_text(PYPROJECT)
    done = program("init", "--yes", "--action", ACTION, "--objective", "memory")
    assert done.returncode == 0, done.stderr
    text = (program.home / "pyproject.toml").read_text()
    assert text.startswith(PYPROJECT + "\n[tool.afterburner]")
    assert tomllib.loads(text)["tool"]["afterburner"] == {"objective": "memory", "max-seconds": 300}
    steps = yaml.safe_load((program.home / ".github/workflows/afterburner.yml").read_text())["jobs"]["optimize"][
        "steps"
    ]
    assert steps[-1]["uses"] == ACTION
    assert json.loads((program.home / ".vscode/settings.json").read_text()) == {"afterburner.hints": True}
    for line in ("+[tool.afterburner]", f"+      - uses: {ACTION}", '+    "afterburner.hints": true'):
        assert line in done.stdout, "it was shown"
    assert "Next: afterburner-agent run . --top 3" in done.stderr
    assert "check the line that installs what your tests need" in done.stderr, "it was filled in from the project"

    before = {name: (program.home / name).read_bytes() for name in files_in(program.home)}
    again = program("init", "--yes", "--action", ACTION)
    assert again.returncode == 0
    assert {name: (program.home / name).read_bytes() for name in files_in(program.home)} == before
    assert (again.stdout, again.stderr.count("left as it is")) == ("", 3)


def test_what_it_writes_is_what_config_reads(program: CommandLine) -> None:
    assert program("init", "--yes", "--no-vscode", "--no-pull-requests").returncode == 0
    assert files_in(program.home) == {"pyproject.toml"}
    done = program("config", "--json", "-")
    settings = json.loads(done.stdout)["settings"]
    assert settings["max_seconds"]["source"] == "project"
    assert settings["objective"]["value"] == "time"


def test_a_line_that_could_not_be_filled_in_is_to_be_replaced(program: CommandLine) -> None:
    (program.home / ".git").mkdir()
    done = program("init", "--yes", "--no-settings", "--no-vscode", "--action", ACTION)
    assert "replace the line that installs what your tests need" in done.stderr


def test_each_file_is_asked_for(program: CommandLine) -> None:
    (program.home / ".git").mkdir()
    with program.on_terminal("init", "--action", ACTION) as terminal:
        terminal.expect(r"\+\S*\[tool.afterburner\]")
        terminal.expect(r"Write pyproject.toml\? \[y/N\] ")
        terminal.sendline("n")
        terminal.expect(r"Write .github/workflows/afterburner.yml\? \[y/N\] ")
        terminal.sendline("y")
        terminal.expect(r"Write .vscode/settings.json\? \[y/N\] ")
        terminal.sendline("")
        terminal.expect(pexpect.EOF)
    assert files_in(program.home) == {".github/workflows/afterburner.yml"}


def test_nothing_is_written_after_an_interrupt(program: CommandLine) -> None:
    with program.on_terminal("init") as terminal:
        terminal.expect(r"Write pyproject.toml\? \[y/N\] ")
        terminal.sendintr()
        terminal.expect("interrupted")
        terminal.expect(pexpect.EOF)
    assert files_in(program.home) == set()


def test_without_a_terminal_the_changes_are_shown_and_nothing_is_written(program: CommandLine) -> None:
    (program.home / ".git").mkdir()
    done = program("init", "--action", ACTION)
    assert done.returncode == 2
    assert "Nothing was written: there is no terminal on which to ask. Use --yes" in done.stderr.splitlines()[-1]
    assert "+[tool.afterburner]" in done.stdout
    assert f"uses: {ACTION}" in done.stdout
    assert files_in(program.home) == set()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--yes", "missing"), "missing: this is not a folder"),
        (("--yes", "--action", "somewhere"), "write it as OWNER/REPOSITORY@COMMIT"),
        (("--yes", "--action", "example/afterburner-agent@main"), "write it as OWNER/REPOSITORY@COMMIT"),
        (("--yes", "--action", f"{ACTION}\n      - run: curl"), "write it as OWNER/REPOSITORY@COMMIT"),
    ],
)
def test_bad_input_writes_nothing(program: CommandLine, words: tuple[str, ...], said: str) -> None:
    (program.home / ".git").mkdir()
    done = program("init", *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert said in line
    assert files_in(program.home) == set()


@pytest.mark.parametrize("content", ["tool = {ruff = {}}\n", "tool = 1\n", "[[tool]]\n"])
def test_a_pyproject_that_a_table_would_break_is_left(tmp_path: Path, content: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content)
    change = settings_table(tmp_path, Objective.TIME)
    assert change.after is None
    assert "yourself" in change.reason


@pytest.mark.parametrize("content", ["[" * 100_000, "x = " + "9" * 5000, "x = " + "[" * 5000])
def test_toml_that_breaks_a_parser_is_told_in_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content)
    with pytest.raises(UsageError, match="is not valid TOML"):
        settings_table(tmp_path, Objective.TIME)


@pytest.mark.parametrize("content", [b"[project\n", b"\xff\xfe", b"[tool]\nafterburner = 1\n[tool]\n"])
def test_a_pyproject_that_cannot_be_read_stops_everything(program: CommandLine, content: bytes) -> None:
    (program.home / "pyproject.toml").write_bytes(content)
    done = program("init", "--yes", "--action", ACTION)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "pyproject.toml" in line
    assert "othing was written" in line
    assert files_in(program.home) == {"pyproject.toml"}
    assert (program.home / "pyproject.toml").read_bytes() == content


def test_line_ends_and_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[project]\r\nname = 'shop'")
    path.chmod(0o640)
    settings_table(tmp_path, Objective.TIME).write()
    written = path.read_bytes()
    assert b"\n" not in written.replace(b"\r\n", b"")
    assert tomllib.loads(written.decode())["project"] == {"name": "shop"}
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["pyproject.toml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(PYPROJECT)
    (tmp_path / "pyproject.toml").symlink_to("real.toml")
    settings_table(tmp_path, Objective.TIME).write()
    assert (tmp_path / "pyproject.toml").is_symlink()
    assert "[tool.afterburner]" in (tmp_path / "real.toml").read_text()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{\n  "editor.tabSize": 2\n}\n', '{\n  "editor.tabSize": 2,\n  "afterburner.hints": true\n}\n'),
        ("", '{\n    "afterburner.hints": true\n}\n'),
        ('{\n\t"name": "Zoë"\n}', '{\n\t"name": "Zoë",\n\t"afterburner.hints": true\n}'),
        ('{\n  // ours\n  "editor.tabSize": 2\n}\n', None),
        ("[]", None),
        ("[" * 100_000, None),
        ("\n", '{\n    "afterburner.hints": true\n}\n'),
        ('{"afterburner.hints": false}', None),
        ('{"a": [1, 2], "a": "\\ud800"}', '{"a": [1, 2], "a": "\\ud800",\n    "afterburner.hints": true\n}'),
        ('{\r\n  "a": {}\r\n}\r\n', '{\r\n  "a": {},\r\n  "afterburner.hints": true\r\n}\r\n'),
    ],
)
def test_settings_of_the_editor_are_added_to_or_left(tmp_path: Path, content: str, expected: str | None) -> None:
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(content.encode())
    change = editor_settings(tmp_path)
    assert change.after == expected
    change.write()
    assert path.read_bytes().decode() == (content if expected is None else expected)


@pytest.mark.parametrize("target", ["../outside.json", "../nowhere/deep.json", "/etc/hostname", "/dev/zero"])
def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path, target: str) -> None:
    """A repository may bring it along: what it leads to would be shown, and written to."""
    project = tmp_path / "project"
    (project / ".vscode").mkdir(parents=True)
    (tmp_path / "outside.json").write_text('{"token": "secret"}')
    (project / ".vscode" / "settings.json").symlink_to(target if target.startswith("/") else f"../{target}")
    with pytest.raises(UsageError, match="leads out of the project"):
        editor_settings(project)
    assert (tmp_path / "outside.json").read_text() == '{"token": "secret"}'
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_leads_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / ".git").mkdir(parents=True)
    outside.mkdir()
    (project / ".github").symlink_to(outside)
    with pytest.raises(UsageError, match="leads out of the project"):
        workflow(project, ACTION)
    (project / ".vscode").symlink_to("../nowhere")
    with pytest.raises(UsageError, match="leads out of the project"):
        editor_settings(project)
    change = settings_table(project, Objective.TIME)
    (project / "pyproject.toml").symlink_to(outside / "x.toml")  # after it was shown
    with pytest.raises(UsageError, match="leads out of the project"):
        change.write()
    assert list(outside.iterdir()) == []


def test_what_is_no_file_or_a_large_one_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pyproject.toml")
    with pytest.raises(UsageError, match="not a regular file"):
        settings_table(tmp_path, Objective.TIME)
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "pyproject.toml").mkdir()
    with pytest.raises(UsageError, match="not a regular file"):
        settings_table(tmp_path, Objective.TIME)
    (tmp_path / ".vscode").mkdir()
    with (tmp_path / ".vscode" / "settings.json").open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        editor_settings(tmp_path)


def test_a_folder_inside_a_project_gets_no_settings_of_its_own(tmp_path: Path) -> None:
    """They would stand in for those of the whole project, for everything below."""
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "src"
    inside.mkdir()
    change = settings_table(inside, Objective.TIME)
    assert (change.after, str(tmp_path) in change.reason) == (None, True)


def test_a_file_that_changes_while_it_is_asked_for_is_left(tmp_path: Path) -> None:
    change = settings_table(tmp_path, Objective.TIME)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    with pytest.raises(AfterburnerError, match="changed in the meantime and was not written"):
        change.write()
    assert (tmp_path / "pyproject.toml").read_text() == PYPROJECT


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / ".vscode").write_text("")
    with pytest.raises(UsageError, match="cannot be read: Not a directory"):
        editor_settings(tmp_path)
    with pytest.raises(AfterburnerError, match="cannot be written"):
        Change(Path("/proc"), "settings.json", None, "text", "").write()


def test_a_file_that_is_read_only_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    monkeypatch.setattr(os, "access", lambda *_given, **_more: False)  # root may write everything
    with pytest.raises(AfterburnerError, match="read-only"):
        settings_table(tmp_path, Objective.TIME).write()
    assert (tmp_path / "pyproject.toml").read_text() == PYPROJECT


@pytest.mark.parametrize("is_there", [True, False])
def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    if is_there:
        (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AfterburnerError, match=r"No space left on device\. It was left as it is"):
        settings_table(tmp_path, Objective.TIME).write()
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == (
        {"pyproject.toml": PYPROJECT} if is_there else {}
    )


def test_the_workflow_is_the_one_of_the_examples() -> None:
    example = (ROOT / "examples" / "workflows" / "pull-request.yml").read_text()
    assert (ROOT / "agent" / "init" / "pull-request.yml").read_text() == example


def installs(folder: Path) -> str:
    steps = yaml.safe_load(workflow(folder, ACTION).after or "")["jobs"]["optimize"]["steps"]
    (found,) = [step["run"] for step in steps if "pip install" in step.get("run", "")]
    return str(found)


def test_the_workflow_installs_what_the_project_has(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert installs(tmp_path) == "python -m pip install pytest"
    settings_table(tmp_path, Objective.TIME).write()
    assert installs(tmp_path) == "python -m pip install pytest", "a table of ours makes no package"
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    assert installs(tmp_path) == "python -m pip install pytest -e ."
    project = '[project]\nname = "shop"\n'
    extras = '[project.optional-dependencies]\ntest = ["pytest-cov"]\ntests = ["hypothesis", "pytest>=9"]\n'
    group = '[dependency-groups]\ndev = ["ruff", "pytest"]\ntest = [{include-group = "dev"}]\n'
    for tables, tools in (
        (extras + group, ' -e ".[tests]"'),
        (group, " -e . --group dev"),
        ('[dependency-groups]\ndev = ["ruff", "pytest-cov"]\n', " -e . --group dev"),
        ("[dependency-groups]\ntest = 3\n", " -e ."),
    ):
        (tmp_path / "pyproject.toml").write_text(project + tables)
        assert installs(tmp_path) == f"python -m pip install pytest{tools}"
    (tmp_path / "requirements.txt").write_text("")
    assert installs(tmp_path) == "python -m pip install pytest -r requirements.txt"


TESTS_AFTER_MAIN = " -r requirements.txt -r test-requirements.txt"


@pytest.mark.parametrize(
    ("files", "tools"),
    [
        (["requirements.txt", "requirements-dev.txt"], " -r requirements.txt -r requirements-dev.txt"),
        (["requirements.txt", "dev-requirements.txt", "test-requirements.txt"], TESTS_AFTER_MAIN),
        (["requirements/base.txt", "requirements/tests.txt"], " -r requirements/base.txt -r requirements/tests.txt"),
        (["requirements_test.txt"], " -r requirements_test.txt"),
        (["setup.py", "requirements-dev.txt"], " -e . -r requirements-dev.txt"),
        (["setup.py", "requirements/base.txt"], " -e ."),
        (["requirements-docs.txt"], ""),
    ],
)
def test_the_workflow_installs_what_files_list_for_the_tests(tmp_path: Path, files: list[str], tools: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements").mkdir()
    for name in files:
        (tmp_path / name).write_text("")
    assert installs(tmp_path) == f"python -m pip install pytest{tools}"


def test_an_extra_with_pytest_needs_no_file_for_the_tests(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements-dev.txt").write_text("")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "shop"\n[project.optional-dependencies]\ntest = ["pytest"]\n'
    )
    assert installs(tmp_path) == 'python -m pip install pytest -e ".[test]"'


def test_the_workflow_keeps_nothing_to_fill_in(tmp_path: Path) -> None:
    assert "top folder of a git repository" in workflow(tmp_path, ACTION).reason
    (tmp_path / ".git").mkdir()
    text = workflow(tmp_path, ACTION).after or ""
    assert text.count(ACTION) == 1
    assert "your-organisation" not in text
    assert "0" * 40 not in text
    assert workflow(tmp_path, "").after is None
