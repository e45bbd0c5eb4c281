"""LiveCodeBench (code_generation_lite): contest problems on stdin, and LeetCode's as methods.

Two accidents of the official grader are no rules, and are not repeated here: its stand-in for stdin gives the first
line again and again to `sys.stdin.buffer.readline`, and it looks at the output when the program's own text has ended,
so that the verdict on a program that leaves the work to a thread depends on chance.
"""

from __future__ import annotations

import base64
import binascii
import pickletools
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import JsonCall, Problem
from afterburner.evals.errors import DatasetError
from afterburner.evals.graders import preambles
from afterburner.evals.graders.calls_in_turn import in_turn_case, in_turn_runner, livecodebench_calls_checker
from afterburner.evals.graders.texts import livecodebench_checker, program_runner
from afterburner.evals.problems import BenchmarkProblem
from afterburner.sandbox import Limits, TestCase, UsageError
from afterburner.sandbox.checkers import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

RELEASES = tuple(f"release_v{number}" for number in range(1, 7))
PARTS = tuple(f"v{number}" for number in range(1, 7))
MOST_BYTES = 512 * 1024 * 1024  # of one problem's private tests, unpacked
_SECONDS = 6  # for each test
_TEXTS = {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"}
_AROUND_A_TEXT = {"PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT", "STOP"}


@dataclass(frozen=True, slots=True)
class _Test:
    given: str
    expected: str


def files_of(_split: str, configuration: str) -> tuple[str, ...]:
    """The files of a release, which holds all before it too, or of a part alone; by default, the newest release.

    Raises:
        DatasetError: there is no such release.
    """
    wanted = configuration or RELEASES[-1]
    if wanted in RELEASES:
        return tuple(map(_file, range(1, RELEASES.index(wanted) + 2)))
    if wanted in PARTS:
        return (_file(PARTS.index(wanted) + 1),)
    raise DatasetError(f"LiveCodeBench has no release {wanted!r}, but {', '.join((*RELEASES, *PARTS))}.")


def _file(number: int) -> str:
    return "test.jsonl" if number == 1 else f"test{number}.jsonl"


def read_livecodebench(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of livecodebench/code_generation_lite.

    The loop may run the public tests. Scores are on all tests, the public ones before the private ones, as in the
    official grader.

    Raises:
        RecordError: a field is not what it has to be, or there is no test.
    """
    public, kind = _split_kind(record, "public_test_cases", record.json_text("public_test_cases"))
    hidden, hidden_kind = _split_kind(record, "private_test_cases", decode_private_tests(record))
    if not public + hidden:
        raise record.error("public_test_cases", "there are none, and no private ones")
    if len({kind or hidden_kind, hidden_kind or kind}) > 1:
        raise record.error("private_test_cases", "they are for stdin where the public ones are calls, or the reverse")
    begun = Problem(
        name=record.filled("question_id"),
        description=record.filled("question_content"),
        starter_code=record.text("starter_code", ""),
        cases=(TestCase(),),
    )
    make = _functional if (kind or hidden_kind) == "functional" else _on_stdin
    every, strict, notes = make(record, public + hidden, begun)
    return BenchmarkProblem(
        dataset=context.dataset,
        id=record.filled("question_id"),
        problem=make(record, public, begun)[0] if public else every,
        private=every if public and hidden else None,
        strict=strict,
        difficulty=record.text("difficulty", ""),
        tags=tuple(each for each in (record.text("platform", ""), record.text("contest_date", "")[:10]) if each),
        notes=notes,
    )


def decode_private_tests(record: Record) -> Any:
    """What `private_test_cases` holds: JSON, or base64 of zlib of a pickle of JSON; nothing is ever unpickled.

    The pickle of a text has the text and nothing else in it. It is taken apart by `pickletools`, which reads the
    instructions of a pickle and carries none of them out; a pickle with any other instruction is refused.

    Raises:
        RecordError: it is none of these, or longer than `MOST_BYTES`.
    """
    field = "private_test_cases"
    stored = record.text(field, "").strip()
    if not stored:
        return []
    if stored.startswith(("[", "{", '"')):
        return record.loads(field, stored)
    try:
        packed = base64.b64decode(stored, validate=True)
    except (binascii.Error, ValueError):
        raise record.error(field, "this is neither JSON nor base64") from None
    return record.loads(field, _pickled_text(record, field, _unpacked(record, field, packed)))


def _unpacked(record: Record, field: str, packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(packed, MOST_BYTES)
    except zlib.error as error:
        raise record.error(field, f"this is base64, but not of zlib: {error}") from None
    if unpacking.unconsumed_tail:
        raise record.error(field, f"this is longer than {MOST_BYTES} bytes when it is unpacked")
    return found


def _pickled_text(record: Record, field: str, pickled: bytes) -> str:
    texts: list[str] = []
    try:
        for instruction, argument, _place in pickletools.genops(pickled):
            if instruction.name in _TEXTS:
                texts.append(str(argument))
            elif instruction.name not in _AROUND_A_TEXT:
                raise record.error(
                    field, f"this pickle holds more than a text ({instruction.name}), and nothing is ever unpickled"
                )
    except (ValueError, IndexError) as error:
        raise record.error(field, f"this is no pickle of a text: {error}") from None
    if len(texts) != 1:
        raise record.error(field, f"this is a pickle of {len(texts)} texts, not of one")
    return texts[0]


def _split_kind(record: Record, field: str, found: Any) -> tuple[list[_Test], str]:
    """The tests of a field, and of which kind they are; empty: there are none."""
    tests: list[_Test] = []
    kinds: set[str] = set()
    for each in record.parts_of(field, found):
        kinds.add(each.text("testtype"))
        if not kinds <= {"stdin", "functional"}:
            raise each.error(
                "testtype", f"this has to be stdin or functional, and it is {each.text('testtype')[:40]!r}"
            )
        tests.append(_Test(each.text("input"), each.text("output")))
    if len(kinds) > 1:
        raise record.error(field, "some tests are for stdin, and some are calls")
    return tests, next(iter(kinds), "")


def _on_stdin(
    _record: Record, tests: Sequence[_Test], begun: Problem
) -> tuple[Problem, Problem | None, tuple[str, ...]]:
    problem = replace(
        begun,
        cases=tuple(
            TestCase(each.given.encode(), each.expected.encode(), str(number))
            for number, each in enumerate(tests, start=1)
        ),
        runner=program_runner(preambles.LIVECODEBENCH),
        checker=livecodebench_checker(),
        limits=Limits(wall_time_s=_SECONDS + 1.0, cpu_time_s=_SECONDS + 1.0),  # and one second to start
    )
    return problem, replace(problem, checker=Lines()), ()


def _functional(
    record: Record, tests: Sequence[_Test], begun: Problem
) -> tuple[Problem, Problem | None, tuple[str, ...]]:
    held = replace(record, values={"metadata": record.json_text("metadata")}).part("metadata")
    function = held.filled("func_name")
    if not function.isidentifier():
        raise held.error("func_name", f"this has to be the name of a method, and it is {function[:60]!r}")
    arguments = [[record.loads("input", line) for line in each.given.split("\n")] for each in tests]
    expected = [record.loads("output", each.expected) for each in tests]
    seconds = (_SECONDS + 1.0) * len(tests) + 5.0  # as the official grader bounds all tests together
    problem = replace(
        begun,
        cases=(in_turn_case(arguments, expected),),
        runner=in_turn_runner(function, preambles.LIVECODEBENCH, _SECONDS),
        checker=livecodebench_calls_checker(),
        limits=Limits(wall_time_s=seconds, cpu_time_s=seconds),
    )
    try:
        strict = replace(
            begun,
            cases=tuple(map(JsonCall, arguments, expected)),
            function=f"Solution.{function}",
            preamble=preambles.LIVECODEBENCH,
            limits=Limits(wall_time_s=_SECONDS + 1.0, cpu_time_s=_SECONDS + 1.0),
        )
    except UsageError as error:
        return problem, None, (f"There is no strict rule for it: {error}",)
    return problem, strict, ()
