"""The command that adds an extra is one for the installation at hand."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox.extras import DISTRIBUTION, install_command, required_by_extras

if TYPE_CHECKING:
    from pathlib import Path

OURS = metadata.distribution(DISTRIBUTION)


class Installed:
    """Our distribution as an installer has left it; `direct_url.json` is that of PEP 610."""

    def __init__(self, direct_url: dict[str, Any] | None) -> None:
        self._direct_url = direct_url
        self.requires = OURS.requires

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return json.dumps(self._direct_url) if self._direct_url else None


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment whose folder has a blank in its name."""
    folder = tmp_path / "my tools"
    folder.mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))
    return folder


def words(monkeypatch: pytest.MonkeyPatch, direct_url: dict[str, Any] | None) -> list[str]:
    monkeypatch.setattr(metadata, "distribution", lambda _name: Installed(direct_url))
    return shlex.split(install_command("trace"))


def test_where_it_came_from(prefix: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pip = [str(prefix / "bin" / "python"), "-m", "pip", "install"]
    clone = tmp_path / "a clone"
    clone.mkdir()
    here = {"url": clone.as_uri(), "dir_info": {"editable": True}}
    assert words(monkeypatch, None) == [*pip, "afterburner-agent[trace]"]
    assert words(monkeypatch, here) == [*pip, "-e", f"{clone}[trace]"]
    assert words(monkeypatch, {**here, "dir_info": {}}) == [*pip, f"afterburner-agent[trace] @ {clone.as_uri()}"]
    gone = {"url": (tmp_path / "gone").as_uri(), "dir_info": {}}
    assert words(monkeypatch, gone) == [*pip, "afterburner-agent[trace]"]
    commit = {"url": "https://host/a.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}, "subdirectory": "tool"}
    assert words(monkeypatch, commit) == [
        *pip,
        "afterburner-agent[trace] @ git+https://host/a.git@abc#subdirectory=tool",
    ]


@pytest.mark.parametrize("told", ["", "[]", '{"url": null}', '{"url": "x", "vcs_info": {}, "dir_info": null}', "{"])
def test_a_file_that_no_installer_writes_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setattr(Installed, "read_text", lambda _self, _name: told)
    assert words(monkeypatch, None)[-1] == "afterburner-agent[trace]"


def test_credentials_of_where_it_came_from_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = {"url": "https://me:ghp_x@host/a.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    assert words(monkeypatch, commit)[-1] == "afterburner-agent[trace] @ git+https://***@host/a.git@abc"


def test_an_environment_without_pip_belongs_to_uv(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterburner.sandbox.extras.find_spec", lambda _name: None)
    python = str(prefix / "bin" / "python")
    assert words(monkeypatch, None) == ["uv", "pip", "install", "--python", python, "afterburner-agent[trace]"]


@pytest.mark.parametrize(
    ("mark", "tool"), [("pipx_metadata.json", ["pipx", "install"]), ("uv-receipt.toml", ["uv", "tool", "install"])]
)
def test_a_tool_keeps_the_extras_that_it_has(
    prefix: Path, monkeypatch: pytest.MonkeyPatch, mark: str, tool: list[str]
) -> None:
    (prefix / mark).write_text("")
    monkeypatch.setattr("afterburner.sandbox.extras.is_installed", lambda name: name == "pygls")
    assert words(monkeypatch, None) == [*tool, "--force", "afterburner-agent[lsp,trace]"]


def test_the_extras_are_those_of_the_project() -> None:
    found = required_by_extras()
    assert found["llm"] == {"httpx", "litellm", "tenacity"}
    assert "litellm" not in set().union(*(names for extra, names in found.items() if extra not in {"llm", "miniature"}))


def test_an_extra_that_names_others_needs_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ["numpy>=2; extra == 'evals'", "afterburner-agent[evals,llm]; extra == 'mini'", "litellm; extra == 'llm'"]
    required = {
        DISTRIBUTION: [*ours, 'serve[web]>=5.2; extra == "mini"', "gone[web]; extra == 'mini'"],
        "serve": ["fastapi; extra == 'web'", "torch; extra == 'other'"],
    }
    monkeypatch.setattr(metadata, "requires", lambda name: required[name])
    monkeypatch.setattr("afterburner.sandbox.extras.is_installed", lambda name: name == "serve")
    assert required_by_extras()["mini"] == {"numpy", "litellm", "serve", "gone", "fastapi"}
