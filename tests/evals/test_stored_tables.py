"""Stored tables: what no file can hold is replaced, and what is damaged is named instead of crashing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Caps
from afterburner.evals.errors import EvaluationError
from afterburner.evals.evaluation import load_evaluation
from afterburner.evals.problems import code_id
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.settings import EvaluationSettings
from afterburner.evals.tables import TABLES, file_key, read_rows, write_rows

if TYPE_CHECKING:
    from pathlib import Path

ID = "../two sum"
PROBLEM = {"problem_id": ID, "dataset": "own", "reason": "", "public_cases": 1, "private_cases": 0}
BEST = {"problem_id": ID, "generation": 0, "iteration": 0, "candidate": "1", "code_id": "c", "passed": True}


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A run with one problem."""
    settings = EvaluationSettings(str(tmp_path), model="replay:none")
    folder = RunFolder.create(tmp_path / "run", "mine", settings, session_id="session", machine={}, caps=Caps())
    folder.keep(ID, {"problems": [PROBLEM], "best": [BEST]})
    return folder


def test_half_characters_of_a_model_are_stored_as_question_marks(tmp_path: Path) -> None:
    """An answer with a lone surrogate costs neither its row nor the run."""
    row = {"problem_id": "p", "answer": "a\ud800b\0", "iteration": 3}
    write_rows(tmp_path, "candidates", "p", [row])
    write_rows(tmp_path, "problems", "p", [{"problem_id": "p", "tags": ["x\udfff", "y"]}])

    (answer,), (problem,) = read_rows(tmp_path, "candidates"), read_rows(tmp_path, "problems")
    assert (answer["answer"], answer["iteration"]) == ("a?b\0", 3)
    assert problem["tags"] == ["x?", "y"]


@pytest.mark.parametrize("table", ["problems", "best", "measurements"])
@pytest.mark.parametrize("left", [b"", b"PAR1 and no more"])
def test_a_damaged_file_is_named_and_its_problem_not_done(run: RunFolder, table: str, left: bytes) -> None:
    """The report says which file is damaged, and a resumed run does the problem again."""
    assert run.is_done(ID)
    path = run.path / table / f"{file_key(ID)}.parquet"
    path.write_bytes(left)

    assert not run.is_done(ID)
    with pytest.raises(EvaluationError, match=f"{table}.*is damaged"):
        load_evaluation(run.path)


@pytest.mark.parametrize("table", TABLES)
def test_a_problem_that_lacks_a_table_is_not_done(run: RunFolder, table: str) -> None:
    """Nor is a lost table of results taken for a failure of the model."""
    (run.path / table / f"{file_key(ID)}.parquet").unlink()

    assert not run.is_done(ID)
    if table == "best":
        with pytest.raises(EvaluationError, match=r"best has nothing of \.\./two sum"):
            load_evaluation(run.path)


@pytest.mark.parametrize(
    "about",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"format": 1}',
        '{"format": 1, "name": 5, "settings": [], "machine": {}, "session": "s"}',
        '{"format": 1, "name": "x", "settings": {"dataset": "d", "iterations": "x"}, "machine": {}, "session": "s"}',
        '{"format": 1, "name": "x", "settings": {"dataset": "d", "more": 1}, "machine": {}, "session": "s"}',
        json.dumps({"format": 1, "name": "x", "settings": {"dataset": "d"}, "machine": {}}),
    ],
)
def test_a_damaged_description_of_a_run_is_an_error_of_one_line(run: RunFolder, about: str) -> None:
    """`eval resume` says what is wrong with `run.json`."""
    (run.path / "run.json").write_text(about, "utf-8")

    with pytest.raises(EvaluationError) as caught:
        RunFolder.open(run.path)
    assert "\n" not in str(caught.value)


def test_where_there_is_no_folder_a_person_is_told_how_to_begin_a_run(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError) as caught:
        RunFolder.open(tmp_path / "none")
    assert str(caught.value).startswith(f"There is no folder {tmp_path / 'none'}. ")
    assert str(caught.value).endswith(f"eval run --dataset NAME --model NAME --out {tmp_path / 'none'}")
    with pytest.raises(EvaluationError, match=r"there is no run\.json in it"):
        RunFolder.open(tmp_path)


def test_blank_lines_around_a_code_make_no_other_code_and_its_indentation_does() -> None:
    code = "for _ in range(3):\n    print(1)"
    assert {code_id(f"\n{code}\n\n"), code_id(code.replace("\n", "\r\n")), code_id(code)} == {code_id(code)}
    assert code_id(f"    {code}") != code_id(code)
    assert code_id("") == ""
