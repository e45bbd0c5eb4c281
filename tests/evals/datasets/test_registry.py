"""One door to all datasets: by name, by path, in part, and with clear errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent import JsonCall, Problem
from afterburner.evals.datasets.built import ABOUT, FORMAT
from afterburner.evals.datasets.guessing import layout_of
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import dataset_infos, find_dataset, load_problems, sample_of
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.sandbox import TestCase, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

NAMES = (
    *("venus", "venus-hub", "apps", "apps-python", "livecodebench", "mercury", "effibench", "effibench-x"),
    *("enamel", "coffe", "packages"),
)
OWN = {"name": "sum", "description": "Add.", "cases": [{"stdin": "1 2", "expected_stdout": "3"}]}


def ids(dataset: str, **options: Any) -> list[str]:
    return [each.id for each in load_problems(dataset, **options) if isinstance(each, BenchmarkProblem)]


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def test_every_dataset_is_listed_with_what_there_is_to_know() -> None:
    assert tuple(info.name for info in dataset_infos()) == NAMES
    for info in dataset_infos():
        assert info.size, info.name
        assert info.licence, info.name
        assert info.grader, info.name
        assert info.source, info.name
    assert find_dataset("venus-hub").configurations == ("python3", "cpp", "golang", "java", "javascript", "rust")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "packages"])
def test_every_layout_has_a_sample_that_can_be_used(name: str, sandbox: Sandbox) -> None:
    problems = list(load_problems(name, source=sample_of(name), sandbox=lambda: sandbox))
    usable = [each for each in problems if isinstance(each, BenchmarkProblem)]
    assert usable
    assert len(problems) == 2
    for each in usable:
        assert each.dataset == name
        assert ids(name, source=sample_of(name), sandbox=lambda: sandbox, only=[each.id]) == [each.id]
        again = BenchmarkProblem.from_json(each.to_json())
        assert (again.problem, again.private, again.strict) == (each.problem, each.private, each.strict)


def test_a_part_is_loaded_by_number_or_by_name(tmp_path: Path) -> None:
    rows = [OWN | {"id": f"p{number}"} for number in range(5)]
    path = str(write(tmp_path / "own.jsonl", rows[0], "broken", *rows[1:]))
    assert ids(path, limit=2) == ["p0", "p1"]
    assert ids(path, limit=0) == []
    assert ids(path, only=["p3", "p1"]) == ["p1", "p3"]
    assert ids(path, only=["p3"], limit=1) == ["p3"]
    assert isinstance(list(load_problems(path, limit=2))[1], Rejected)


def test_a_problem_is_found_by_a_name_that_messages_cut_short(tmp_path: Path) -> None:
    name = "a" * 85
    path = str(write(tmp_path / "own.jsonl", OWN | {"id": name + "1"}, OWN | {"id": name + "2"}, OWN))
    assert ids(path, only=[name + "2"]) == [name + "2"]


def test_the_second_problem_of_an_id_is_refused(tmp_path: Path) -> None:
    path = str(write(tmp_path / "own.jsonl", OWN | {"id": 1}, OWN | {"id": "2"}, OWN | {"id": "1"}, OWN))
    assert ids(path) == ["1", "2", "sum"]
    (refused,) = (each for each in load_problems(path) if isinstance(each, Rejected))
    assert refused.line == "own.jsonl, record 3 (1): id: an earlier problem has the same one"


def test_problems_are_loaded_as_they_are_asked_for(tmp_path: Path) -> None:
    """What is behind the first record would be an error, and is not looked at."""
    path = write(tmp_path / "own.jsonl", OWN)
    path.write_bytes(path.read_bytes() + b'"' + b"x" * 1000)
    assert next(iter(load_problems(str(path)))).id == "sum"  # type: ignore[union-attr]


def test_a_split_that_a_dataset_lacks_is_refused_and_test_is_what_it_has_for_testing(tmp_path: Path) -> None:
    row = json.loads(sample_of("effibench").read_text("utf-8").splitlines()[0])
    write(tmp_path / "train.jsonl", row)
    assert ids("effibench", source=tmp_path) == ["1"]
    with pytest.raises(DatasetError, match=r"has no split 'dev'. It has train"):
        list(load_problems("effibench", split="dev"))


@pytest.mark.parametrize("place", ["enamel.csv", "dataset/enamel.csv"])
def test_a_folder_of_enamel_has_its_problems_in_a_file_of_that_name(
    tmp_path: Path, sandbox: Sandbox, place: str
) -> None:
    """As its repository has it, beside other files."""
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_bytes(sample_of("enamel").read_bytes())
    write(tmp_path / "samples" / "enamel-references.json", {"0": []})
    asked: dict[str, Any] = {"sandbox": lambda: sandbox}
    found = ids("enamel", source=tmp_path, **asked)
    assert found
    assert found == ids("enamel", source=sample_of("enamel"), **asked)
    with pytest.raises(DatasetError, match="has no train file"):
        ids("enamel", source=tmp_path, split="train", **asked)


def test_the_hub_s_layout_of_venus_is_a_folder_for_each_language(tmp_path: Path) -> None:
    row = json.loads(sample_of("venus-hub").read_text("utf-8").splitlines()[1])
    write(tmp_path / "python3" / "train-00000-of-00001.jsonl", row)
    write(tmp_path / "rust" / "train-00000-of-00001.jsonl", row | {"question_id": 9, "code_prompt": "impl Solution {"})
    assert ids("venus-hub", source=tmp_path) == ["2"]
    assert ids("venus-hub", source=tmp_path, configuration="rust") == ["9"]
    with pytest.raises(DatasetError, match="no train file of golang"):
        list(load_problems("venus-hub", source=tmp_path, configuration="golang"))
    with pytest.raises(DatasetError, match=r"has no configuration 'ruby'. It has python3, cpp"):
        list(load_problems("venus-hub", source=tmp_path, configuration="ruby"))


@pytest.mark.parametrize(
    ("dataset", "options", "message"),
    [
        ("venos", {}, r"There is no dataset 'venos'. Did you mean venus\?"),
        ("samplse", {}, r"There is no dataset, file or folder 'samplse'. Did you mean samples\?"),
        ("zzz", {}, "There is no dataset 'zzz'. There are venus, .* and paths of files and folders"),
        ("enamel", {}, "enamel is on no hub. Give a local copy: --from"),
        ("venus", {"source": "none.jsonl"}, "There is no file or folder none.jsonl"),
        ("packages", {}, "no problems with cases"),
    ],
)
def test_what_cannot_be_loaded_says_why(
    dataset: str, options: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "samples").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=message):
        list(load_problems(dataset, **options))


@pytest.mark.parametrize(
    ("dataset", "options"),
    [
        ("venos", {}),
        ("venus", {"source": "none.jsonl"}),
        ("effibench", {"split": "dev"}),
        ("effibench-x", {"configuration": "cobol"}),
        ("built", {"split": "tset"}),
        ("folder", {}),
    ],
)
def test_a_name_that_nothing_goes_by_is_a_wrong_option(
    dataset: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, as for every command: what was typed is wrong, and not the dataset."""
    write(tmp_path / "built" / ABOUT, {"format": FORMAT})
    write(tmp_path / "folder" / "others.jsonl.gz", OWN)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as told:
        list(load_problems(dataset, **options))
    assert told.value.exit_code == 2
    if dataset == "folder":
        assert ".jsonl, .json and .csv, each also as .gz" in str(told.value)
        assert str(told.value).endswith("Name the file itself, such as folder/others.jsonl.gz.")


def test_a_record_is_told_by_the_layout_that_its_fields_have() -> None:
    for dataset in ("apps", "mercury", "venus"):
        (record, *_) = read_records(sample_of(dataset))
        assert isinstance(record, Record)
        assert layout_of(record.values) == dataset
    assert layout_of(OWN) == "your own"
    assert layout_of({"text": "a"}) == ""


def test_a_dataset_that_runs_code_needs_a_sandbox() -> None:
    with pytest.raises(DatasetError, match="runs in a sandbox alone"):
        list(load_problems("enamel", source=sample_of("enamel")))


def test_a_folder_that_eval_build_made_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "problems").mkdir()
    write(tmp_path / ABOUT, {"format": FORMAT})
    assert list(load_problems(str(tmp_path))) == []


def test_problems_of_one_s_own_are_those_of_problem_and_a_few_fields_beside(tmp_path: Path) -> None:
    full = OWN | {
        "id": 7,
        "difficulty": "easy",
        "tags": ["sums"],
        "generator": "def generate_test_cases(num_cases, seed=42): ...",
        "private_cases": [{"stdin": "5 6", "expected_stdout": "11"}],
        "references": [{"code": "a", "time": 1500, "memory": 2048}, {"code": "b"}],
        "checker": {"kind": "floats"},
        "limits": {"wall_time_s": 2},
        "start": "print(3)",
    }
    calls = {
        "name": "double",
        "description": "Double it.",
        "function": "double",
        "cases": [{"arguments": [2], "expected": 4}],
        "references": ["def double(n): return n + n"],
    }
    first, second = load_problems(str(write(tmp_path / "mine.jsonl", full, calls)))
    assert isinstance(first, BenchmarkProblem)
    assert isinstance(second, BenchmarkProblem)
    assert (first.dataset, first.id, first.difficulty, first.tags) == ("mine", "7", "easy", ("sums",))
    assert first.private is not None
    assert first.private.cases == (TestCase(b"5 6", b"11"),)
    assert (first.private.limits.wall_time_s, first.problem.start) == (2.0, "print(3)")
    assert first.references[0].figures is not None
    assert (first.references[0].figures.wall_time_s, first.references[0].figures.peak_memory_kib) == (1.5, 2048.0)
    assert second.problem == Problem("double", "Double it.", (JsonCall([2], 4),), function="double")
    assert [each.code for each in second.references] == ["def double(n): return n + n"]


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"description": None}, "problem", "description: Input should be a valid string"),
        ({"cases": []}, "problem", "cases: this is empty"),
        ({"langauge": "cpp"}, "problem", "langauge: there is no such key"),
        ({"language": "cobol"}, "problem", "does not know the language"),
        ({"limits": {"wall_time_s": float("nan")}}, "problem", "not JSON compliant|Out of range"),
        ({"references": [3]}, "references[0]", "this has to be an object, and it is a number"),
        ({"references": [{"code": "a", "time": -1}]}, "references[0].time", "this has to be a measurement"),
        ({"private_cases": [{"stdin": 1}]}, "problem", "cases"),
        ({"tags": "sums"}, "tags", "this has to be a list, and it is a text"),
        ({"id": ""}, "id", "it is empty"),
    ],
)
def test_a_problem_of_one_s_own_that_is_none_is_told_by_record_and_field(
    tmp_path: Path, change: dict[str, Any], field: str, reason: str
) -> None:
    path = write(tmp_path / "own.jsonl", OWN | change, OWN)
    rejected, used = load_problems(str(path))
    assert isinstance(used, BenchmarkProblem)
    assert isinstance(rejected, Rejected)
    assert rejected.place.startswith("own.jsonl, record 1")
    assert rejected.field == field
    assert any(each in rejected.reason for each in reason.split("|")), rejected.line
