"""`afterburner-agent doctor` on this machine, and on the same one with things taken away."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pexpect
import pytest
import typer

from afterburner.agent.doctor import command
from afterburner.agent.doctor.document import DoctorDocument
from afterburner.agent.doctor.shown import shown_checks
from afterburner.sandbox.commands.checks import Check, Status, check_extras
from afterburner.sandbox.commands.hello import HELLO
from afterburner.sandbox.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow


def checks(text: str) -> dict[str, dict[str, str]]:
    """The checks by name, after the document was held against its published form."""
    read: dict[str, Any] = json.loads(text)
    jsonschema.validate(read, DoctorDocument.published_form())
    return {check["name"]: check for check in read["checks"]}


def test_every_language_has_its_hello() -> None:
    assert HELLO.keys() == LANGUAGES.keys()


def test_the_extras_are_those_that_the_installation_page_lists() -> None:
    page = (Path(__file__).parents[3] / "docs" / "install.md").read_text("utf-8")
    _, _, table = page.partition("| extra | for |")
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    found = {each.name.removeprefix("extra ") for each in check_extras()}
    assert "dev" not in found, "it is of no use to whoever has installed a wheel"
    assert found <= listed


def test_a_machine_with_a_sandbox(program: CommandLine, sandbox: Sandbox) -> None:
    done = program("doctor", "--json", "-")
    assert done.returncode == 0, done.stdout
    found = checks(done.stdout)
    for name in ("system", "bubblewrap", "meter", "sandbox", "runs python", "interpreter", "cache", "state", "editor"):
        assert found[name]["status"] == "ok", found[name]
    assert sandbox.describe()[0] in found["sandbox"]["found"]
    for language in LANGUAGES:
        assert found[f"runs {language}"]["status"] in {"ok", "missing"}, found[f"runs {language}"]
    assert all(check["status"] == "ok" or check["advice"] for check in found.values())
    assert list(program.home.rglob("*.py")) == []


def test_what_is_missing_is_told_with_what_to_do(program: CommandLine) -> None:
    nothing = program.home / "empty"
    nothing.mkdir()
    done = program("doctor", PATH=str(nothing), DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 3
    lines = {line[8:].partition(":")[0]: line for line in done.stdout.splitlines()}
    assert lines["bubblewrap"].startswith("missing bubblewrap: not found -> ")
    assert "apt-get install bubblewrap" in lines["bubblewrap"]
    assert lines["docker"].startswith("missing docker: ")
    assert lines["sandbox"].startswith("missing sandbox: none works here -> ")
    assert lines["runs python"].startswith("missing ")
    (last,) = done.stdout.splitlines()[-1:]
    assert last.startswith("No sandbox can run Python here. ")
    assert "apt-get install bubblewrap" in last, "it names the first thing to do"
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_what_a_working_sandbox_does_not_need_comes_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Check("docker", Status.MISSING, "none", "Only for Docker."), Check("runs python", Status.OK, "3.13")]
    monkeypatch.setattr(command, "sandbox_checks", lambda: (each for each in [("all", lambda: found)]))
    monkeypatch.setattr(command, "floor_checks", lambda: iter([]))
    with pytest.raises(typer.Exit):
        command.doctor(json=None)
    assert capsys.readouterr().out.splitlines() == [
        "ok      runs python: 3.13",
        "",
        "Optional; install what you need:",
        "missing docker: none -> Only for Docker.",
        "",
        "The sandbox works: afterburner-agent run FILE.py looks for a faster rewrite, and proves it.",
    ]


def test_what_is_broken_is_named_beside_a_sandbox_that_works(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Check("runs python", Status.OK, "3.13"), Check("state", Status.BROKEN, "/x", "Set XDG_STATE_HOME.")]
    monkeypatch.setattr(command, "sandbox_checks", lambda: (each for each in [("all", lambda: found)]))
    monkeypatch.setattr(command, "floor_checks", lambda: iter([]))
    with pytest.raises(typer.Exit):
        command.doctor(json=None)
    assert capsys.readouterr().out.splitlines()[-1].endswith("Broken, as told above: state.")


def test_nothing_is_shown_twice_and_what_works_is_brief() -> None:
    ok, missing = Status.OK, Status.MISSING
    found = [
        Check("docker", ok, "24.0"),
        Check("runs python", ok, "3.13"),
        Check("runs cpp", ok, "g++ 12"),
        Check("runs go", missing, "no toolchain", "Install golang."),
        Check("runs ruby", ok, "3.1"),
        Check("extra ci", missing, "not installed: gitpython", "Only if you want it: `pip install x[ci]`."),
        Check("extra docker", missing, "not installed: docker", "Only if you want it: `pip install x[docker]`."),
        Check("extra lsp", ok, "pygls"),
        Check("extra mcp", ok, "mcp"),
        Check("pull requests", missing, "not installed: gitpython", "Only for `ci`: `pip install x[ci]`."),
    ]
    assert [(each.name, each.status, each.found) for each in shown_checks(found)] == [
        ("docker", ok, "24.0"),
        ("runs python", ok, "3.13"),
        ("also runs", ok, "cpp, ruby"),
        ("runs go", missing, "no toolchain"),
        ("extra docker", missing, "not installed: docker"),
        ("extras", ok, "complete: lsp, mcp"),
        ("pull requests", missing, "not installed: gitpython"),
    ]


def test_folders_that_cannot_be_written(program: CommandLine) -> None:
    (program.home / "file").write_text("", encoding="utf-8")
    found = checks(program("doctor", "--json", "-", XDG_STATE_HOME=str(program.home / "file")).stdout)
    assert found["state"]["status"] == "broken"
    assert "XDG_STATE_HOME" in found["state"]["advice"]


@pytest.mark.usefixtures("sandbox")
def test_a_terminal_gets_a_table(program: CommandLine) -> None:
    with program.on_terminal("doctor") as terminal:
        terminal.expect("The sandbox works: ")
        shown = str(terminal.before)
        terminal.expect(pexpect.EOF)
    assert terminal.exitstatus == 0
    assert "\x1b[32mok" in shown
    assert "looking: " in shown


def test_a_check_that_breaks_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks() -> list[Check]:
        raise FileNotFoundError(2, "No such file or directory")

    def works() -> list[Check]:
        return [Check("editor", Status.OK, "here")]

    def none() -> Generator[tuple[str, Callable[[], list[Check]]], None, None]:
        yield from ()

    monkeypatch.setattr(command, "sandbox_checks", none)
    monkeypatch.setattr(command, "floor_checks", lambda: iter([("folders", breaks), ("editor", works)]))
    with pytest.raises(typer.Exit):
        command.doctor(json="-")
    found = checks(capsys.readouterr().out)
    assert found["folders"]["found"] == "this check failed: FileNotFoundError: [Errno 2] No such file or directory"
    assert found["editor"]["status"] == "ok"
