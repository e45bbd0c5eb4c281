"""What `doctor` says of the floors above the sandbox."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.doctor.floors import check_editor, check_git, check_gpu, check_model, check_ray

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, which is the current one, and none of our variables."""
    for name in ("AFTERBURNER_MODEL", "OPENAI_API_KEY", "OPENAI_API_BASE", "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("home")
def test_without_a_setting_the_rules_propose() -> None:
    (found,) = check_model()
    assert (found.status, found.advice) == ("ok", "")
    assert "so rules is used" in found.found


@pytest.mark.nightly
@pytest.mark.usefixtures("home")
def test_a_model_with_its_key_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent: a key is only looked for, and it is not shown."""
    monkeypatch.setenv("AFTERBURNER_MODEL", "openai/gpt-5")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (found,) = check_model()
    assert (found.status, found.found, found.advice) == ("ok", "openai/gpt-5 (AFTERBURNER_MODEL)", "")


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        ("openai/gpt-5", "set OPENAI_API_KEY"),
        ("opanai/gpt-5", "openai"),
        ("replay:missing.jsonl", "missing.jsonl"),
        ("rules,", "empty member"),
    ],
)
@pytest.mark.usefixtures("home")
def test_a_model_that_cannot_be_asked_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, model: str, advice: str
) -> None:
    monkeypatch.setenv("AFTERBURNER_MODEL", model)
    (found,) = check_model()
    assert found.status == "broken"
    assert advice in found.advice


def test_settings_that_cannot_be_read_are_told(home: Path) -> None:
    (home / "pyproject.toml").write_text('[tool.afterburner]\nmodle = "rules"\n')
    (found,) = check_model()
    assert (found.name, found.status) == ("settings", "broken")
    assert "modle" in found.advice


def test_litellm_is_named_where_it_is_missing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    monkeypatch.setattr("afterburner.agent.doctor.floors.find_spec", lambda _name: None)
    (found,) = check_model()
    assert found.status == "missing"
    assert "[llm]'" in found.advice


def test_an_editor_without_and_with_our_extension(home: Path) -> None:
    (found,) = check_editor()
    assert (found.status, "no VS Code was found" in found.found) == ("ok", True)
    extensions = home / ".vscode" / "extensions"
    extensions.mkdir(parents=True)
    (found,) = check_editor()
    assert (found.status, found.found.endswith("not installed in VS Code")) == ("missing", True)
    (extensions / "afterburner.afterburner-0.1.0").mkdir()
    (found,) = check_editor()
    assert (found.status, found.found.endswith("in VS Code")) == ("ok", True)


def test_a_home_folder_that_may_not_be_searched(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".vscode" / "extensions").mkdir(parents=True)

    def denied(_path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", denied)  # root may search each
    (found,) = check_editor()
    assert found.status == "missing"


def test_a_provider_that_logs_in_is_not_asked_what_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM would print a code to type into a browser, and wait."""
    assert home.is_dir()
    for model in ("github_copilot/gpt-5", "rules,chatgpt/gpt-5"):
        monkeypatch.setenv("AFTERBURNER_MODEL", model)
        (found,) = check_model()
        assert (found.status, "was not tried" in found.found) == ("ok", True)


def test_git_and_its_python_package(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_git()[0].status == "ok"
    monkeypatch.setenv("PATH", str(home))
    assert check_git()[0].found == "there is no git"


def test_a_cluster_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    assert "RAY_ADDRESS is not set" in check_ray()[0].found
    monkeypatch.setenv("RAY_ADDRESS", "ray://me:hunter@2@cluster:10001")
    assert check_ray()[0].found == "the cluster at ray://***@cluster:10001"


@pytest.mark.parametrize(
    ("said", "code", "status"),
    [
        ("\\377", 9, "broken"),
        ("NVIDIA H100 80GB HBM3, 81559 MiB", 0, "ok"),
        ("", 0, "broken"),
        ("No devices were found", 6, "broken"),
    ],
)
def test_a_gpu_is_asked_of_its_driver(
    home: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int, status: str
) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert check_gpu()[0].status == "missing"
    (home / "nvidia-smi").write_text(f"#!/bin/sh\nprintf '{said}'\nexit {code}\n")
    (home / "nvidia-smi").chmod(0o755)
    (found,) = check_gpu()
    assert (found.status, said.replace("\\377", "\ufffd") in found.found) == (status, True)
