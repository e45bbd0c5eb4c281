"""`eval datasets` lists what there is, and checks local copies."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from typer import Exit
from typer.testing import CliRunner

from afterburner.evals.commands import listing
from afterburner.evals.commands.group import app
from afterburner.evals.commands.listing import MOST_ALIKE
from afterburner.evals.datasets.registry import sample_of
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import Rejected
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["datasets", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout


def test_a_pipe_gets_a_line_for_each_dataset() -> None:
    code, told = run()
    lines = [line.split("\t") for line in told.splitlines()]
    assert code == 0
    assert [line[0] for line in lines][:3] == ["venus", "venus-hub", "apps"]
    assert all(len(line) == 5 and all(line) for line in lines)


def test_one_dataset_is_told_with_splits_and_configurations() -> None:
    code, told = run("livecodebench")
    assert code == 0
    assert "configurations:  release_v1, release_v2" in told
    assert str(sample_of("livecodebench")) in told
    with pytest.raises(DatasetError, match="Did you mean apps"):
        run("app")


def test_the_list_is_written_as_json(tmp_path: Path) -> None:
    code, told = run("--json", "-")
    assert code == 0
    assert {each["name"]: each["licence"] for each in json.loads(told)}["mercury"] == "CC-BY-NC-4.0"
    assert run("coffe", "--json", str(tmp_path / "coffe.json"))[0] == 0
    assert json.loads((tmp_path / "coffe.json").read_text())[0]["name"] == "coffe"


def test_a_local_copy_is_checked_record_by_record(tmp_path: Path) -> None:
    good = sample_of("apps").read_text("utf-8").splitlines()[0]
    (tmp_path / "test.jsonl").write_text(f'{good}\n{{"problem_id": 2, "question": "\\u001b[31m"}}\nbroken\n')
    code, told = run("apps", "--from", str(tmp_path))
    assert code == 0
    assert told.splitlines()[0].startswith("test.jsonl, record 2 (2): input_output: it is empty")
    assert told.splitlines()[1].startswith("test.jsonl, record 3: this is no JSON")
    assert told.splitlines()[2] == "1 record can be used, 2 cannot."
    code, told = run("apps", "--from", str(tmp_path), "--json", "-")
    counted = json.loads(told)
    assert (code, counted["usable"], [each["field"] for each in counted["rejected"]]) == (0, 1, ["input_output", ""])


def test_a_copy_that_takes_long_to_read_is_not_read_in_silence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither before the first record, whose tests are made in the sandbox, nor between two of them."""
    said = ""

    def read(*_: object, **__: object) -> Iterator[Rejected]:
        nonlocal said
        for number, expected in enumerate(("on: reading copy.csv", "on: reading copy.csv: 1 record read")):
            while f"still at work {expected}\n" not in said:
                time.sleep(0.01)
                said += capfd.readouterr().err
            yield Rejected("copy.csv", "", str(number))

    monkeypatch.setattr(listing, "load_problems", read)
    monkeypatch.setattr(listing, "SILENT_AT_MOST_S", 0.02)
    with pytest.raises(Exit):
        listing.check_copy("enamel", "copy.csv", split="", configuration="", json=None, sandbox="auto")


def test_problems_of_one_s_own_are_checked_by_their_path(tmp_path: Path) -> None:
    row = {"name": "sum", "description": "Add.", "cases": [{"stdin": "1 2", "expected_stdout": "3"}]}
    (tmp_path / "own.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(row | {'cases': []})}\n")
    code, told = run(str(tmp_path / "own.jsonl"))
    assert code == 0
    assert told.splitlines()[0].startswith(
        "own.jsonl, record 2 (sum): problem: This is not the JSON of a problem: cases"
    )
    assert told.splitlines()[1] == "1 record can be used, 1 cannot."


def test_a_case_without_an_expected_output_and_an_empty_file_are_told(tmp_path: Path) -> None:
    case = {"stdin": "1 2", "expected_stdout": "3"}
    row = {"name": "sum", "description": "Add.", "cases": [case, {"stdin": "1 2"}]}
    private = {**row, "cases": [case], "private_cases": [{"stdin": "1 2"}]}
    (tmp_path / "own.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(private)}\n")
    code, told = run(str(tmp_path / "own.jsonl"))
    assert code == 4
    assert "record 1 (sum): cases: case 2 has no expected_stdout, so that any output would be right" in told
    assert "record 2 (sum): private_cases: case 1 has no expected_stdout" in told
    (tmp_path / "empty.jsonl").write_text("")
    code, told = run(str(tmp_path / "empty.jsonl"))
    assert code == 4
    assert told.splitlines() == [f"{tmp_path / 'empty.jsonl'} holds no record."]
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "test.jsonl").write_text("")
    _, told = run(str(tmp_path / "empty"))
    assert told.splitlines() == [
        f"{tmp_path / 'empty'} holds no record of the split 'test'; name another with --split."
    ]


def test_raw_problems_are_what_eval_build_takes(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"problem_id": 7, "question_content": "Add.", "solutions": [], "test_cases": "[]"}))
    code, told = run(str(raw))
    assert (code, told.splitlines()[-1]) == (
        4,
        f"Its records look like raw problems: afterburner-agent eval build {raw} --out DIR",
    )


def test_a_copy_of_which_nothing_can_be_used_ends_with_4(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text("broken\n")
    code, told = run("venus", "--from", str(tmp_path / "test.jsonl"))
    assert (code, told.splitlines()[-1]) == (4, "0 records can be used, 1 cannot.")


def test_code_of_a_dataset_runs_in_a_sandbox() -> None:
    code, told = run("enamel", "--from", str(sample_of("enamel")))
    assert (code, told) == (0, "2 records can be used, 0 cannot.\n")


def test_a_reason_that_many_records_share_is_told_a_few_times_and_counted(tmp_path: Path) -> None:
    good = sample_of("apps").read_text("utf-8").splitlines()[0]
    (tmp_path / "test.jsonl").write_text("\n".join([good, *(['{"problem_id": 2, "question": "?"}'] * 37), "broken"]))
    code, told = run("apps", "--from", str(tmp_path), "--json", str(tmp_path / "all.json"))
    lines = told.splitlines()
    assert code == 0
    assert len([each for each in lines if each.startswith("test.jsonl, record ")]) == MOST_ALIKE + 1
    assert lines[-2].startswith(f"{37 - MOST_ALIKE} more records: input_output: it is empty")
    assert lines[-1] == "1 record can be used, 38 cannot."
    counted = json.loads((tmp_path / "all.json").read_text())
    assert (counted.keys(), len(counted["rejected"])) == ({"usable", "rejected"}, 38)


def test_a_copy_needs_the_name_of_its_layout() -> None:
    with pytest.raises(UsageError, match="say which one"):
        run("--from", "somewhere")
