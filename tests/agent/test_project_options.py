"""A session reads a project's settings, and asks its own hook about those that need trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Search, TrustQuestion, TrustRequest, open_session
from afterburner.agent.errors import SettingsError
from afterburner.agent.options import RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = '[tool.afterburner]\niterations = 3\nmodel = "openai/gpt-5"\nmin-effect = 0.2\nquiet = true\ntell = "paper"\n'


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(TABLE)
    (tmp_path / "shop.py").write_text("def price():\n    return 1\n")
    return tmp_path / "shop.py"


def saying(answer: bool, asked: list[TrustRequest]) -> Callable[[TrustRequest], bool]:
    def hook(request: TrustRequest) -> bool:
        asked.append(request)
        return answer

    return hook


def test_who_decides_is_asked_once_before_a_project_chooses_a_model(shop: Path) -> None:
    asked: list[TrustRequest] = []
    with open_session(store=None, trust=saying(True, asked)) as session:
        for _ in range(2):
            options = session.project_options(shop)
            assert options.settings.models.model == "openai/gpt-5"
    assert [(each.question, each.folder) for each in asked] == [(TrustQuestion.USE_SETTINGS, str(shop.parent))]
    assert (options.settings.search.iterations, options.settings.proof.min_effect) == (3, 0.2)
    assert options.settings.models.tell == "paper"
    assert (options.path, dict(options.refused)) == (shop.with_name("pyproject.toml"), {})


def test_the_question_names_the_settings_and_is_asked_again_about_others(shop: Path) -> None:
    asked: list[TrustRequest] = []
    project = shop.with_name("pyproject.toml")
    long = "./" + "a" * 200
    lines = ('model = "openai/gpt-5"', f'python = "{long}\\u001b[31m"\nallow-imports = "numpy,scipy"')
    with open_session(store=None, trust=saying(True, asked)) as session:
        for line in lines:
            project.write_text(f"[tool.afterburner]\niterations = 3\n{line}\n")
            session.project_options(shop)
    first, second = (each.detail for each in asked)
    assert first == f'{project} sets model = "openai/gpt-5"'
    assert f'python = "{long}' in second, "whole: a part may hide the rest"
    assert second.endswith(', allow-imports = "numpy,scipy"')
    assert "\x1b" not in second


def test_without_trust_the_rest_counts_and_what_was_refused_is_named(shop: Path) -> None:
    with open_session(store=None, trust=saying(False, [])) as session:
        options = session.project_options(shop)
    assert (options.settings.models.model, options.settings.search.iterations) == ("rules", 3)
    assert list(options.refused) == ["model"]
    assert "a project may not set this by itself" in options.refused["model"]


def test_without_trust_a_doubtful_setting_of_the_caller_does_not_count_either(shop: Path) -> None:
    given = {"model": "openai/gpt-5", "python": "/usr/bin/python3"}
    with open_session(store=None, trust=saying(False, [])) as session:
        options = session.project_options(shop, given=given, given_by="the editor's settings", doubtful=["model"])
    assert (options.settings.models.model, options.settings.inputs.python) == ("rules", "/usr/bin/python3")
    assert list(options.refused) == ["model"]
    assert "the editor's settings: model" in options.refused["model"]


def test_by_default_a_project_chooses_no_model_unless_its_user_names_it(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_session(store=None) as session:
        assert session.project_options(shop).settings.models.model == "rules"
    monkeypatch.setenv("AFTERBURNER_TRUSTED_PROJECTS", str(shop.parent))
    with open_session(store=None) as session:
        assert session.project_options(shop.parent).settings.models.model == "openai/gpt-5"


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with open_session(store=None) as session:
        options = session.project_options(tmp_path)
    assert options.settings == RunSettings(str(tmp_path))
    assert options.settings.search == Search()
    assert (options.path, options.refused) == (None, {})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("iterations = 0", "iterations"),
        ("iteration = 3", "Did you mean iterations?"),
        ('iterations = "3"', "this has to be an integer"),
        ('calls = "x.py"', "remove this line"),
        ('temperature = "hot"', "temperature"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(shop: Path, line: str, words: str) -> None:
    shop.with_name("pyproject.toml").write_text(f"[tool.afterburner]\n{line}\n")
    with open_session(store=None) as session, pytest.raises(SettingsError) as refused:
        session.project_options(shop)
    assert "pyproject.toml" in str(refused.value)
    assert words in str(refused.value)
