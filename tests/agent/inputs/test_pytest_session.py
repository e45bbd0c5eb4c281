"""Which options of a project's pytest hold where its tests run in the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.inside.pytest_session import kept_options, without_coverage

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("added", "all_kept", "how"),
    [
        ("--doctest-modules --cov=shop --cov-branch tests", "--doctest-modules tests", "--doctest-modules"),
        ("--cov shop tests", "tests", ""),
        ("-ra -q --strict-markers tests/test_shop.py::test_total", "tests/test_shop.py::test_total", ""),
        ("-n auto tests", "tests", ""),
        ("-n4 tests nowhere", "tests", ""),
        ("-m slow --ignore=tests -kshop", "-m slow --ignore=tests -kshop", ""),
        ("--junitxml report.xml --import-mode importlib", "--import-mode importlib", "--import-mode importlib"),
        ("--benchmark-skip tests", "tests", ""),
        ("--part tests --fast --other", "--part tests --fast", "--part tests --fast"),
        ("--doctest-glob=*.doctest shop", "--doctest-glob=*.doctest shop", "--doctest-glob=*.doctest"),
    ],
)
def test_of_what_a_project_adds_the_choice_of_the_tests_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, added: str, all_kept: str, how: str
) -> None:
    for name in ("tests", "shop"):
        (tmp_path / name).mkdir()
    (tmp_path / "tests" / "test_shop.py").write_text("")
    monkeypatch.chdir(tmp_path)
    own = ("--part", "tests", "--fast") if "--part" in added else ()
    assert kept_options(added.split(), choice=True, paths=True, own=own) == all_kept.split()
    assert kept_options(added.split(), choice=False, paths=False, own=own) == how.split()


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("--no-cov -q tests", "-q tests"),
        ("--cov shop --cov-report term -x", "-x"),
        ("--cov --cov-branch tests --covers", "tests --covers"),
        ("--cov=shop --cov-report=html tests", "tests"),
    ],
)
def test_a_command_takes_no_coverage(command: str, rest: str) -> None:
    assert without_coverage(command.split()) == rest.split()
