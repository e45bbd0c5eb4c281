"""LiveCodeBench: private tests are decoded without unpickling anything, and judged as by the official grader."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.datasets import livecodebench
from afterburner.evals.datasets.livecodebench import decode_private_tests, files_of, read_livecodebench
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import load_problems, sample_of
from afterburner.evals.errors import DatasetError, RecordError
from afterburner.evals.problems import BenchmarkProblem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent import Problem

    Judge = Callable[[Problem, str], str]

ROWS = [json.loads(line) for line in sample_of("livecodebench").read_text("utf-8").splitlines()]
CONTEXT = ReadingContext(dataset="livecodebench")
TESTS = [{"input": "1", "output": "2", "testtype": "stdin"}]


def read(place: int, **changes: Any) -> BenchmarkProblem:
    return read_livecodebench(Record(ROWS[place] | changes), CONTEXT)


def decoded(stored: str) -> Any:
    return decode_private_tests(Record({"private_test_cases": stored}))


def packed(pickled: bytes) -> str:
    return base64.b64encode(zlib.compress(pickled)).decode()


@pytest.mark.parametrize("protocol", range(6))
def test_private_tests_are_decoded_from_a_pickle_of_any_protocol(protocol: int) -> None:
    assert decoded(packed(pickle.dumps(json.dumps(TESTS), protocol))) == TESTS
    assert decoded(packed(pickle.dumps("[]" + " " * 300, protocol))) == []


def test_private_tests_may_be_plain_json_or_nothing() -> None:
    assert decoded(json.dumps(TESTS)) == TESTS
    assert decoded("") == []


class Bomb:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


def test_a_pickle_that_runs_code_is_refused_and_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for bomb in (Bomb(mark), [Bomb(mark)], {"tests": Bomb(mark)}):
        for protocol in range(6):
            with pytest.raises(RecordError, match="private_test_cases: this pickle holds more than a text"):
                decoded(packed(pickle.dumps(bomb, protocol)))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ("not base64!", "neither JSON nor base64"),
        (base64.b64encode(b"not zlib").decode(), "base64, but not of zlib"),
        (packed(b"not a pickle"), "no pickle of a text|more than a text"),
        (packed(b""), "no pickle of a text"),
        (packed(b"\x80\x04X\xff\xff\xff\x7fa."), "no pickle of a text"),  # a text that claims two GiB
        (packed(pickle.dumps(["[]"])), "more than a text"),
        (packed(pickle.dumps(b"[]", 4)), "more than a text"),
        (packed(b"\x80\x02r\xff\xff\xff\x7fX\x02\x00\x00\x00[]."), None),  # a memo of two billion: it is not made
        (packed(b"\x80\x02PX\n."), "more than a text|no pickle"),  # a persistent id
        (packed(b"\x80\x04X\x02\x00\x00\x00[]X\x02\x00\x00\x00[]."), "a pickle of 2 texts"),
        (packed(pickle.dumps("[")), "this is no JSON"),
        ("[", "this is no JSON"),
    ],
)
def test_private_tests_that_are_something_else_are_refused(stored: str, message: str | None) -> None:
    if message is None:
        assert decoded(stored) == []
        return
    with pytest.raises(RecordError, match=message) as caught:
        decoded(stored)
    assert caught.value.field == "private_test_cases"


def test_private_tests_that_grow_when_they_are_unpacked_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livecodebench, "MOST_BYTES", 1_000_000)
    with pytest.raises(RecordError, match="longer than 1000000 bytes when it is unpacked"):
        decoded(packed(b"0" * 100_000_000))


def test_a_bomb_in_one_record_leaves_the_others(tmp_path: Path) -> None:
    rows = [ROWS[0], ROWS[1] | {"private_test_cases": packed(pickle.dumps(Bomb(tmp_path / "mark")))}, ROWS[1]]
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(load_problems("livecodebench", source=tmp_path / "test.jsonl"))
    assert [isinstance(each, BenchmarkProblem) for each in found] == [True, False, True]
    assert "test.jsonl, record 2 (2)" in found[1].place  # type: ignore[union-attr]
    assert not (tmp_path / "mark").exists()


def test_the_loop_sees_public_tests_and_scores_are_on_all() -> None:
    problem = read(0)
    assert problem.private is not None
    assert [case.stdin for case in problem.problem.test_cases] == [b"3\n"]
    assert [case.stdin for case in problem.private.test_cases] == [b"3\n", b"10\n", b"-1\n"]
    assert (problem.difficulty, problem.tags) == ("easy", ("codeforces", "2024-01-01"))
    assert read(0, private_test_cases="[]").private is None


@pytest.mark.parametrize(
    ("code", "official", "strict"),
    [
        ("print(int(input()) / 2)", "accepted", "accepted"),
        ("print(Decimal(input()) / 2)", "runtime_error", "runtime_error"),  # the preamble has no decimals
        ("print(f'{int(input()) / 2:.3f}')", "accepted", "wrong_answer"),  # equal as decimal numbers
        ("print('', int(input()) / 2, '')", "accepted", "wrong_answer"),
        ("print(int(input()) / 2 + 1e-12)", "wrong_answer", "wrong_answer"),
        ("print(int(input()) / 2, end='\\n\\n1')", "wrong_answer", "wrong_answer"),
        ("print(floor(sqrt(9)) * 0 + int(input()) / 2)", "accepted", "accepted"),  # what the preamble imports
    ],
)
def test_programs_are_judged_line_by_line(judge: Judge, code: str, official: str, strict: str) -> None:
    problem = read(0)
    assert problem.private is not None
    assert problem.strict is not None
    assert (judge(problem.private, code), judge(problem.strict, code)) == (official, strict)


@pytest.mark.parametrize(
    ("body", "official", "strict"),
    [
        ("[[a, b] for a, b in zip(values, values[1:])]", "accepted", "accepted"),
        ("tuple([a, b] for a, b in zip(values, values[1:]))", "accepted", "accepted"),
        ("[(a, b) for a, b in zip(values, values[1:])]", "wrong_answer", "accepted"),  # the outermost tuple alone
        ("[[float(a), b] for a, b in zip(values, values[1:])]", "accepted", "accepted"),
        ("[[a + 1e-12, b] for a, b in zip(values, values[1:])]", "wrong_answer", "wrong_answer"),
        ("list(pairwise(values)) and None", "runtime_error", "runtime_error"),
    ],
)
def test_calls_are_judged_by_equality(judge: Judge, body: str, official: str, strict: str) -> None:
    problem = read(1)
    assert problem.private is not None
    assert problem.strict is not None
    code = f"class Solution:\n    def neighbours(self, values: List[int]):\n        return {body}\n"
    if "pairwise" in body:
        code = code.replace("return", "return missing,")
    assert (judge(problem.private, code), judge(problem.strict, code)) == (official, strict)


def test_one_instance_makes_the_calls_of_all_tests(judge: Judge) -> None:
    code = (
        "class Solution:\n    def __init__(self):\n        self.values = []\n"
        "    def neighbours(self, values):\n        self.values += values\n"
        "        return [list(each) for each in zip(self.values, self.values[1:])]\n"
    )
    problem = read(1)
    assert problem.private is not None
    assert problem.strict is not None
    assert judge(problem.problem, code) == "accepted"  # a single test
    assert (judge(problem.private, code), judge(problem.strict, code)) == ("wrong_answer", "accepted")


def test_a_call_may_not_take_longer_than_a_test(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(livecodebench, "_SECONDS", 1)
    code = "class Solution:\n    def neighbours(self, values):\n        while True: pass\n"
    assert judge(read(1).problem, code) == "runtime_error"


@pytest.mark.parametrize(
    ("place", "changes", "message"),
    [
        (0, {"public_test_cases": "[]", "private_test_cases": "[]"}, "public_test_cases: there are none"),
        (
            0,
            {"public_test_cases": '[{"input": "1", "output": "1"}]'},
            r"public_test_cases\[0\].testtype: it is missing",
        ),
        (
            0,
            {"public_test_cases": '[{"input": "1", "output": "1", "testtype": "x"}]'},
            r"\[0\].testtype: this has to be stdin",
        ),
        (1, {"private_test_cases": json.dumps(TESTS)}, "private_test_cases: they are for stdin where the public ones"),
        (1, {"metadata": "{}"}, "metadata.func_name: it is missing"),
        (1, {"metadata": '{"func_name": "a.b"}'}, "metadata.func_name: this has to be the name of a method"),
        (1, {"metadata": "[]"}, "metadata: this has to be an object"),
        (
            1,
            {"public_test_cases": '[{"input": "[", "output": "1", "testtype": "functional"}]'},
            "input: this is no JSON",
        ),
        (0, {"question_id": ""}, "question_id: it is empty"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_by_its_field(place: int, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read(place, **changes)


def test_a_release_is_all_files_up_to_it(tmp_path: Path) -> None:
    assert files_of("test", "release_v1") == ("test.jsonl",)
    assert files_of("test", "release_v3") == ("test.jsonl", "test2.jsonl", "test3.jsonl")
    assert files_of("test", "v3") == ("test3.jsonl",)
    assert len(files_of("test", "")) == 6
    with pytest.raises(DatasetError, match="has no release 'v9', but release_v1"):
        files_of("test", "v9")
    for place, name in enumerate(files_of("test", "release_v2")):
        (tmp_path / name).write_text(json.dumps(ROWS[place]))
    for configuration, ids in (("release_v2", ["1_A", "2"]), ("v2", ["2"]), ("release_v1", ["1_A"])):
        found = load_problems("livecodebench", source=tmp_path, configuration=configuration)
        assert [each.id for each in found if isinstance(each, BenchmarkProblem)] == ids
    with pytest.raises(DatasetError, match=r"lacks test3.jsonl"):
        list(load_problems("livecodebench", source=tmp_path))


def test_real_records_are_read(shared_data: Any) -> None:
    found = list(load_problems("livecodebench", source=shared_data / "livecodebench" / "lcb_v1.jsonl"))
    assert len(found) == 291
    problems = [each for each in found if isinstance(each, BenchmarkProblem)]
    assert len(problems) == 291
    assert all(each.strict for each in problems)
    assert sum(each.private is not None for each in problems) == 75
    assert {each.difficulty for each in problems} == {"easy", "medium", "hard"}


@pytest.mark.slow
def test_submissions_are_judged_as_the_official_grader_did(shared_data: Any, judge: Judge) -> None:
    """Those of which the case that officially failed is known, and some that passed.

    Programs that leave threads running are left out: the official verdict on them is a matter of chance.
    """
    folder = shared_data / "livecodebench"
    rows = {row["question_id"]: row for row in map(json.loads, (folder / "lcb_v1.jsonl").read_text().splitlines())}
    known = [name for name, row in rows.items() if row["_private_provenance"].startswith("real:failing")]
    problems = {
        each.id: each.private or each.problem
        for each in load_problems("livecodebench", source=folder / "lcb_v1.jsonl", only=known)
        if isinstance(each, BenchmarkProblem)
    }
    with gzip.open(folder / "graded_submissions.jsonl.gz", "rt") as lines:
        every = [each for each in map(json.loads, lines) if each["question_id"] in problems]
    failed = [each for each in every if json.loads(each["official_metadata"]).get("error_code") in {-2, -4}]
    passed = [each for each in every if each["official_pass"]]
    chosen = [each for each in (*failed[:8], *passed[:4]) if "thread" not in each["code"]]
    verdicts = [judge(problems[each["question_id"]], each["code"]) == "accepted" for each in chosen]
    assert verdicts == [each["official_pass"] for each in chosen]
    assert len(set(verdicts)) == 2
