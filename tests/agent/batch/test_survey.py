"""A real project, profiled in the real sandbox: what is ranked, and how high."""

from __future__ import annotations

import shutil
import venv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.batch.work import LONGEST_SURVEY_S, profile_note
from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.profiled_command import python_command
from afterburner.agent.inputs.project_modules import source_files
from afterburner.agent.inputs.rank import rank
from afterburner.agent.inputs.survey import check_tests, take_survey
from afterburner.agent.options import BatchPlace, InputOptions, RunSettings
from afterburner.sandbox import UsageError
from afterburner.sandbox.project import list_project

if TYPE_CHECKING:
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

LIMIT_S = 120.0
MARKED = """

def marked(rows):  # afterburner: skip
    return sorted(sum(rows, []))
"""


def by_name(ranked: list[RankedTarget]) -> dict[str, RankedTarget]:
    return {target.function: target for target in ranked}


def test_the_tests_are_profiled_and_functions_ranked_by_what_they_cost(sandbox: Sandbox, shop: Path) -> None:
    survey = take_survey(sandbox, shop / "shop", RunSettings(str(shop / "shop")), LIMIT_S)
    ranked = rank(survey)
    found = by_name(ranked)
    assert list(found)[:3] == sorted(list(found)[:3], key=lambda name: -found[name].saving_s)
    assert set(list(found)[:3]) == {"common", "tokens", "Shelf.missing"}
    assert found["common"].test_files[0] == "tests/test_names.py"
    assert set(found["common"].test_files) == {"tests/test_names.py", "tests/test_texts.py"}
    assert found["table"].test_files == ("tests/test_texts.py",)
    assert found["table"].calls == 2
    assert 0.5 < sum(target.share for target in ranked) <= 1.5
    assert {Path(target.path).name for target in ranked} == {"names.py", "texts.py"}
    assert not {"Shelf.size", "later", "never_called"} & set(found), "properties, coroutines, what nobody calls"
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing, survey.suite.complete) == (7, (), True)


@pytest.mark.nightly
def test_a_folder_below_counts_alone_without_what_says_skip(sandbox: Sandbox, shop: Path) -> None:
    texts = shop / "shop" / "texts.py"
    texts.write_text(texts.read_text("utf-8") + MARKED, encoding="utf-8")
    more = shop / "tests" / "test_texts.py"
    more.write_text(more.read_text("utf-8") + "\ndef test_marked():\n    assert marked([[1]] * 50)\n", encoding="utf-8")
    more.write_text(more.read_text("utf-8").replace("import shared,", "import marked, shared,"), encoding="utf-8")
    survey = take_survey(sandbox, shop / "shop" / "texts.py", RunSettings(str(shop)), LIMIT_S)
    assert {target.function for target in rank(survey)} == {"table", "shared"}
    assert "marked" in {function.qualname for function in survey.functions}, "it was called, and is not chosen"


def test_tests_for_pytest_are_told_to_need_it(sandbox: Sandbox, shop: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    settings = RunSettings(str(shop), inputs=InputOptions(python=python))
    with pytest.raises(WorkloadError) as told:
        take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert "nothing calls its functions" in str(told.value)
    assert f"pytest is not installed for {python}, so unittest ran the tests." in str(told.value)


@pytest.mark.parametrize("words", [(), ("-m", "pytest", "tests")])
def test_tests_that_cannot_start_are_no_sign_that_nothing_calls_a_function(
    sandbox: Sandbox, shop: Path, words: tuple[str, ...]
) -> None:
    (shop / "tests" / "conftest.py").write_text("import nothing_of_the_kind\n", encoding="utf-8")
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop) if words else ""))
    with pytest.raises(WorkloadError) as told:
        take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert "the tests could not start, so there is nothing to rank. Seen:" in str(told.value)
    assert "nothing_of_the_kind" in str(told.value)
    assert "nothing calls" not in str(told.value)


def test_a_syntax_error_that_keeps_tests_from_running_is_told_once_with_its_line(sandbox: Sandbox, shop: Path) -> None:
    (shop / "shop" / "broken.py").write_text("x = 1\ny = = 2\n", encoding="utf-8")
    for left in shop.rglob("test_*.py"):
        left.unlink()
    (shop / "tests" / "test_one.py").write_text("import shop.broken\n", encoding="utf-8")
    (shop / "tests" / "test_two.py").write_text("def test_it():\n    import shop.broken\n", encoding="utf-8")
    with pytest.raises(WorkloadError) as told:
        take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S)
    reason = "\n  - the test fails here: shop/broken.py:2: SyntaxError: invalid syntax\n"
    assert reason in str(told.value)
    assert str(told.value).count("SyntaxError") == 1
    (shop / "tests" / "conftest.py").write_text("import shop.broken\n", encoding="utf-8")
    with pytest.raises(WorkloadError, match=r'broken\.py", line 2 \| y = = 2 \| SyntaxError: invalid syntax'):
        take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S)


def test_where_pytest_finds_no_tests_those_that_it_does_not_collect_are_named_with_the_command_that_does(
    sandbox: Sandbox, shop: Path
) -> None:
    shutil.move(shop / "tests" / "test_names.py", shop / "tests.py")
    (shop / "tests" / "more_tests.py").write_text("", encoding="utf-8")
    for left in shop.rglob("test_*.py"):
        left.unlink()
    with pytest.raises(WorkloadError, match="pytest finds no tests in the project") as told:
        take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S)
    named = "If tests/more_tests.py, tests.py hold tests, name them: run FOLDER -- python -m pytest tests/more_tests.py"
    assert f"{named} tests.py" in str(told.value)
    command = python_command(("pytest", "tests.py"))
    settings = RunSettings(str(shop), batch=BatchPlace(command=command, command_folder=str(shop)))
    assert "common" in by_name(rank(take_survey(sandbox, shop / "shop", settings, LIMIT_S)))
    (shop / "tests.py").unlink()
    (shop / "tests" / "more_tests.py").unlink()
    with pytest.raises(WorkloadError, match="pytest finds no tests in the project") as told:
        take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S)
    assert "hold tests" not in str(told.value)


def test_a_command_of_pytest_that_finds_no_test_has_not_failed(sandbox: Sandbox, shop: Path) -> None:
    words = ("-m", "pytest", "tests", "-k", "nothing_of_the_kind")
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop)))
    with pytest.raises(WorkloadError, match="nothing calls its functions") as told:
        take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert "failed" not in str(told.value)


@pytest.mark.parametrize("code", ["", "raise RuntimeError('no data')\n"])
def test_a_command_that_calls_nothing_is_told_from_one_that_fails(sandbox: Sandbox, shop: Path, code: str) -> None:
    (shop / "script.py").write_text(code, encoding="utf-8")
    settings = RunSettings(str(shop), batch=BatchPlace(command=("script.py",), command_folder=str(shop)))
    with pytest.raises(WorkloadError) as told:
        take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert ("the command failed and called none of its functions" in str(told.value)) is bool(code)
    assert ("nothing calls its functions" in str(told.value)) is not bool(code)


def test_functions_that_an_import_alone_calls_come_with_the_command_that_passed_nothing(
    sandbox: Sandbox, shop: Path, tmp_path: Path
) -> None:
    names = shop / "shop" / "names.py"
    names.write_text(names.read_text("utf-8") + "\n\nSHARED = common(['a'], ['a'])\n", encoding="utf-8")
    (shop / "test_imports.py").write_text("import shop.names\nimport pytest\n", encoding="utf-8")
    assert take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S).remark == ""
    venv.create(tmp_path / "bare", symlinks=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    settings = RunSettings(str(shop), inputs=InputOptions(python=python))
    survey = take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert "common" in by_name(rank(survey))
    assert survey.remark.startswith("`python -m unittest discover` was profiled, and it failed")
    assert f"pytest is not installed for {python}, so unittest ran the tests." in survey.remark


@pytest.mark.parametrize("folder", ["examples", "."])
def test_a_script_that_no_test_loads_does_not_stand_in_for_the_standard_library(
    sandbox: Sandbox, shop: Path, folder: str
) -> None:
    (shop / folder).mkdir(exist_ok=True)
    test = "import colorsys\n\ndef test_colours():\n    assert colorsys.rgb_to_hls(0, 0, 0)\n"
    (shop / "tests" / "test_colours.py").write_text(test, encoding="utf-8")
    for name in ("random.py", "colorsys.py"):
        (shop / folder / name).write_text("def shown(): ...\n\nraise SystemExit('an example')\n", encoding="utf-8")
    survey = take_survey(sandbox, shop, RunSettings(str(shop)), LIMIT_S)
    assert {"common", "table"} <= set(by_name(rank(survey)))
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing) == (8, ())


def test_tests_beside_a_module_named_like_one_of_the_standard_library_get_theirs(sandbox: Sandbox, shop: Path) -> None:
    (shop / "more").mkdir()
    (shop / "more" / "wave.py").write_text("def crest(number):\n    return number + 1\n", encoding="utf-8")
    test = "import wave\n\ndef test_crest():\n    assert wave.crest(1) == 2\n"
    (shop / "more" / "test_wave.py").write_text(test, encoding="utf-8")
    assert "crest" in by_name(rank(take_survey(sandbox, shop, RunSettings(str(shop)), LIMIT_S)))


@pytest.mark.parametrize("words", [("app.py", "300"), ("-m", "app", "300")])
def test_a_command_is_profiled_instead(sandbox: Sandbox, shop: Path, words: tuple[str, ...]) -> None:
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop)))
    survey = take_survey(sandbox, shop, settings, LIMIT_S)
    found = by_name(rank(survey))
    assert {"table", "numbered"} <= set(found)
    assert "common" not in found, "the tests were not run"
    assert found["table"].calls == 3
    assert found["table"].test_files == ()
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing) == (1, ())


def test_a_command_of_pytest_writes_nothing_that_only_the_project_asks_for(sandbox: Sandbox, shop: Path) -> None:
    (shop / "pytest.ini").write_text("[pytest]\naddopts = --junitxml=report.xml\n", encoding="utf-8")
    words = python_command(("pytest", "-q", "tests/test_texts.py"))
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop)))
    survey = take_survey(sandbox, shop, settings, LIMIT_S)
    assert "table" in by_name(rank(survey))
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing) == (1, ())


ADDED = """[pytest]
addopts = --doctest-glob="*.doctest" checks --cov=shop --cov-report=html --junitxml report.xml -n auto --part tables
required_plugins = pytest-cov
"""
ITS_OWN_OPTION = """
def pytest_addoption(parser):
    parser.addoption("--part")

def pytest_configure(config):
    assert config.option.part == "tables"
"""


@pytest.mark.parametrize("words", [(), ("-m", "pytest", "--no-cov", "-q")])
def test_what_the_project_adds_to_each_run_chooses_the_tests_and_takes_no_coverage(
    sandbox: Sandbox, shop: Path, words: tuple[str, ...]
) -> None:
    (shop / "pytest.ini").write_text(ADDED, encoding="utf-8")
    (shop / "conftest.py").write_text(ITS_OWN_OPTION, encoding="utf-8")
    (shop / "checks").mkdir()
    (shop / "checks" / "table.doctest").write_text(">>> from shop.texts import table\n>>> table([[1]])\n'1;\\n'\n")
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop) if words else ""))
    survey = take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    found = by_name(rank(survey))
    assert list(found) == ["table"]
    assert found["table"].test_files == (() if words else ("checks/table.doctest",))
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing) == (1, ())


def test_where_all_tests_are_skipped_the_reason_is_told(sandbox: Sandbox, shop: Path) -> None:
    (shop / "tests" / "conftest.py").write_text("import shop.names\nshop.names.common([1], [1])\n", encoding="utf-8")
    for left in shop.rglob("test_*.py"):
        left.write_text("import pytest\n\ndef test_it():\n    pytest.skip('needs the network')\n", encoding="utf-8")
    remark = take_survey(sandbox, shop / "shop", RunSettings(str(shop)), LIMIT_S).remark
    assert "no test passed" in remark
    assert remark.endswith(": 3 skipped, the last of them for this reason: Skipped: needs the network")


def test_a_command_that_fails_before_it_calls_anything_says_why(sandbox: Sandbox, shop: Path) -> None:
    settings = RunSettings(str(shop), batch=BatchPlace(command=("-m", "no_such_module"), command_folder=str(shop)))
    with pytest.raises(WorkloadError, match="no_such_module"):
        take_survey(sandbox, shop, settings, LIMIT_S)


@pytest.mark.parametrize("words", [("make", "test"), ("python",), ("python", "-m"), ("python", "-c", "pass")])
def test_what_is_no_python_command(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="python SCRIPT"):
        python_command(words)


def test_who_names_a_function_as_a_command_is_told_the_option() -> None:
    with pytest.raises(UsageError, match=r"write `--function Stock\.value`"):
        python_command(("Stock.value",))


def test_the_tests_run_again_with_other_texts_in_place(sandbox: Sandbox, shop: Path) -> None:
    path = shop / "shop" / "texts.py"
    wrong = path.read_bytes().replace(b'";"', b'","')
    settings = replace(RunSettings(str(shop / "shop")))
    suite = check_tests(sandbox, shop / "shop", settings, LIMIT_S, {path: wrong})
    assert suite is not None
    assert suite.failing == ("tests/test_texts.py::test_table",)
    assert suite.passed == 6
    assert b'";"' in path.read_bytes(), "the project itself is untouched"


def test_a_link_is_no_target_and_what_it_leads_to_is(sandbox: Sandbox, shop: Path) -> None:
    """Its name comes last, and the text of an offer would be written through it."""
    (shop / "zlinks").mkdir()
    (shop / "zlinks" / "names.py").symlink_to(shop / "shop" / "names.py")
    ranked = rank(take_survey(sandbox, shop, RunSettings(str(shop)), LIMIT_S))
    assert by_name(ranked)["common"].path == str(shop / "shop" / "names.py")


FORGED = """
import json, os, sys
def test_forged():
    frame = sys._getframe()
    while frame is not None:
        survey = frame.f_locals.get("survey")
        if survey is not None and hasattr(survey, "figures"):
            figures = next(iter(survey.figures.values()))
            survey.figures["/etc/passwd", "spend"] = figures
            survey.figures[__file__, "test_forged"] = figures
            return
        frame = frame.f_back
    raise AssertionError("there is nothing to forge")
"""


def test_a_project_cannot_name_other_files_than_those_that_were_asked_for(sandbox: Sandbox, shop: Path) -> None:
    """The record of what ran is written by the process that runs the tests, which may write what it likes."""
    (shop / "tests" / "test_zforged.py").write_text(FORGED)
    survey = take_survey(sandbox, shop / "shop", RunSettings(str(shop / "shop")), LIMIT_S)
    assert survey.suite is not None
    assert survey.suite.passed == 8, "the forgery was made"
    assert {Path(function.path).parent for function in survey.functions if function.qualname} == {shop / "shop"}


FOREIGN = "def spend(rows):\n    return sorted(rows)\n"


@pytest.mark.parametrize("below", ["", "shop"])
def test_without_git_the_tests_beside_the_packages_are_found(sandbox: Sandbox, shop: Path, below: str) -> None:
    """Also where other folders lie there that are none of the project's, one with a project of its own."""
    shutil.rmtree(shop / ".git")
    (shop / "app.py").unlink()
    for folder in (".venv/lib", ".hidden", "node_modules/tool", "env/lib"):
        (shop / folder).mkdir(parents=True)
        (shop / folder / "aaa.py").write_text(FOREIGN)
        (shop / folder / "pyproject.toml").write_text("")
    (shop / "env" / "pyvenv.cfg").write_text("")
    survey = take_survey(sandbox, shop / below, RunSettings(str(shop / below)), LIMIT_S)
    assert survey.project_root == str(shop)
    found = by_name(rank(survey))
    assert {"common", "table", "Shelf.missing"} <= set(found)
    assert found["table"].test_files == ("tests/test_texts.py",)
    assert survey.suite is not None
    assert (survey.suite.passed, survey.suite.failing) == (7, ())


def test_a_folder_of_an_environment_is_no_project(sandbox: Sandbox, shop: Path) -> None:
    (shop / ".venv").mkdir()
    (shop / ".venv" / "aaa.py").write_text(FOREIGN)
    (shop / ".venv" / "pyvenv.cfg").write_text("")
    (shop / ".hidden").mkdir()
    (shop / ".hidden" / "aaa.py").write_text(FOREIGN)
    assert [path.name for path in source_files(shop, list_project(shop))] == [
        "app.py",
        "__init__.py",
        "names.py",
        "texts.py",
    ]
    with pytest.raises(UsageError, match="holds no Python file of the project"):
        take_survey(sandbox, shop / ".venv", RunSettings(str(shop / ".venv")), LIMIT_S)
    with pytest.raises(UsageError, match="name the folder of one project"):
        take_survey(sandbox, Path("/"), RunSettings("/"), LIMIT_S)


@pytest.mark.nightly
def test_a_profile_that_came_to_no_call_in_its_time_says_so(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "shop.py").write_text("def total(prices):\n    return sum(prices)\n", encoding="utf-8")
    (tmp_path / "test_shop.py").write_text(
        "import time\nfrom shop import total\n\n\ndef test_total():\n    time.sleep(600)\n    assert total([1]) == 1\n",
        encoding="utf-8",
    )
    with pytest.raises(WorkloadError, match="the time for profiling was over before anything called its functions"):
        take_survey(sandbox, tmp_path, RunSettings(str(tmp_path)), 20.0)


RUNG = """
import pytest, signal, time

@pytest.mark.parametrize("number", range(600))
def test_slowly(number):
    signal.raise_signal(signal.SIGALRM)
    time.sleep(30)
"""
RUNG_SCRIPT = """
import signal
from shop.texts import table

table([[1]])
signal.raise_signal(signal.SIGALRM)
"""


@pytest.mark.parametrize("words", [(), ("-m", "pytest", "--disable-plugin-autoload", "tests")])
def test_tests_that_the_time_cuts_short_give_a_profile_that_says_so(
    sandbox: Sandbox, shop: Path, words: tuple[str, ...]
) -> None:
    """Each time that our alarm rings, one test fails; pytest would go on with the next. Here a test rings it."""
    (shop / "tests" / "test_zlong.py").write_text(RUNG, encoding="utf-8")
    settings = RunSettings(str(shop), batch=BatchPlace(command=words, command_folder=str(shop) if words else ""))
    survey = take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert {"common", "table"} <= set(by_name(rank(survey)))
    assert survey.is_cut
    told = "was interrupted after 96 s, the time for profiling, so functions that it calls later were not seen"
    assert survey.remark == f"`python {' '.join(words or ('-m', 'pytest'))}` {told}"
    assert survey.suite is not None
    assert not survey.suite.complete
    assert words or (survey.suite.passed, survey.suite.failing) == (7, ())
    assert profile_note(survey, 20.0) == f"{survey.remark}; --max-seconds allows more."
    assert "give a shorter command" in profile_note(survey, LONGEST_SURVEY_S)


def test_a_script_that_the_time_ends_has_not_failed(sandbox: Sandbox, shop: Path) -> None:
    (shop / "script.py").write_text(RUNG_SCRIPT, encoding="utf-8")
    settings = RunSettings(str(shop), batch=BatchPlace(command=("script.py",), command_folder=str(shop)))
    survey = take_survey(sandbox, shop / "shop", settings, LIMIT_S)
    assert list(by_name(rank(survey))) == ["table"]
    assert survey.remark.startswith("`python script.py` was interrupted after 96 s")
    assert survey.suite is not None
    assert not survey.suite.complete
