"""What the VS Code extension declares fits the server, and how it is built asks no registry by address."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from afterburner.lsp_server.features import make_server
from afterburner.lsp_server.settings import OWN, read_settings

ROOT = Path(__file__).parent.parent.parent
EXTENSION = ROOT / "lsp_server" / "clients" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SETTINGS = {
    key.removeprefix("afterburner."): value
    for page in MANIFEST["contributes"]["configuration"]
    for key, value in page["properties"].items()
}


def test_its_settings_are_those_of_the_program() -> None:
    done = subprocess.run([sys.executable, "scripts/vscode_settings.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: .venv/bin/python scripts/vscode_settings.py"


def test_the_server_knows_the_settings_of_the_editor_alone() -> None:
    own = MANIFEST["contributes"]["configuration"][0]["properties"]
    known = [name.removeprefix("afterburner.") for name in own if name.count(".") == 1]
    assert known == [name for name in OWN if name != "trusted"], "VS Code asks itself whether it trusts a workspace"
    read = read_settings({name: SETTINGS[name]["default"] for name in known})
    assert not read.run, "else they would be taken for settings of a run"


def test_a_workspace_chooses_no_program_and_no_model() -> None:
    assert {name for name in SETTINGS if name.startswith("server.")} == {"server.path", "server.package"}
    assert all(SETTINGS[name]["scope"] == "machine" for name in SETTINGS if name.startswith("server."))
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert (
        {"afterburner.model", "afterburner.python"} <= set(restricted) <= {f"afterburner.{each}" for each in SETTINGS}
    )


def test_its_commands_do_not_take_the_names_of_the_servers() -> None:
    """VS Code registers the server's commands under their own names, and no name twice."""
    of_server = set(make_server("0").protocol.fm.commands)
    own = {each["command"] for each in MANIFEST["contributes"]["commands"]}
    assert of_server
    assert not own & of_server
    watched = {
        event.removeprefix("onCommand:")
        for walkthrough in MANIFEST["contributes"]["walkthroughs"]
        for step in walkthrough["steps"]
        for event in step["completionEvents"]
        if event.startswith("onCommand:")
    }
    assert watched <= of_server, "a step of the walkthrough would never be done"


@pytest.mark.parametrize("folder", [EXTENSION, Path(__file__).parent / "vscode"], ids=["extension", "walk"])
def test_the_locks_pin_everything_and_name_no_registry(folder: Path) -> None:
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: found for name, found in lock["packages"].items() if name}
    assert packages
    assert [name for name, found in packages.items() if "resolved" in found] == []
    assert [name for name, found in packages.items() if not (found.get("integrity") or found.get("inBundle"))] == []
    declared = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    wanted = {**declared["dependencies"], **declared.get("devDependencies", {})}
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
