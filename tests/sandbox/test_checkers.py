"""What each kind of checker takes for a right answer, however the output is cut and wherever the expected one lies."""

from __future__ import annotations

import resource
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.sandbox import Limits, Program, TestCase, UsageError
from afterburner.sandbox.checkers import Checker, Custom, Exact, Floats, Lines, Tokens, comparison
from afterburner.sandbox.errors import CheckerError
from afterburner.sandbox.scrubbing import scrub_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

_SNIPPETS = (b"a", b"b", b"ab" * 50, b" ", b"\t", b"\n", b"\r\n", b" " * 90, "é".encode(), b"1.50", b"-2e1", b"\0")
_TEXTS = st.lists(st.sampled_from(_SNIPPETS), max_size=12).map(b"".join)


@st.composite
def _outputs(draw: st.DrawFn) -> tuple[bytes, bytes, list[int]]:
    """An expected output, another one that often is nearly the same, and where the latter is cut."""
    expected = draw(_TEXTS)
    printed = expected if draw(st.booleans()) else draw(_TEXTS)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(printed)))
        end = start + draw(st.integers(0, 2))
        printed = printed[:start] + draw(st.sampled_from((*_SNIPPETS, b""))) + printed[end:]
    return expected, printed, sorted(draw(st.lists(st.integers(0, len(printed)), max_size=5)))


def _compare(checker: Checker, expected: bytes | Path, printed: bytes, cuts: list[int] | None = None) -> str | None:
    looking = comparison(checker, expected)
    start = 0
    for end in (*(cuts or ()), len(printed)):
        looking.feed(memoryview(printed)[start:end])
        start = end
    return looking.finish()


def _plain_lines(output: bytes) -> list[bytes]:
    lines = [line.rstrip() for line in output.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _explain_plainly(expected: bytes, printed: bytes) -> str | None:
    """What comparing by lines has to say of outputs with short lines, made from both as a whole."""
    wanted, got = _plain_lines(expected), _plain_lines(printed)
    for number, (line, other) in enumerate(zip(wanted, got, strict=False), start=1):
        if line != other:
            return f"line {number}: expected {_shown(line)}, got {_shown(other)}"
    if len(got) < len(wanted):
        ending = f"but the output ends after {_counted(len(got))}"
        return f"line {len(got) + 1}: expected {_shown(wanted[len(got)])}, {ending}"
    if len(got) > len(wanted):
        ending = f"expected the output to end after {_counted(len(wanted))}"
        return f"line {len(wanted) + 1}: {ending}, got {_shown(got[len(wanted)])}"
    return None


def _shown(line: bytes) -> str:
    return f"'{scrub_bytes(line)}'".replace("\t", " ")


def _counted(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _plainly_equal(checker: Checker, expected: bytes, printed: bytes) -> bool:
    """The same question, answered in the shortest way."""
    match checker:
        case Exact():
            return expected == printed
        case Lines():
            return _plain_lines(expected) == _plain_lines(printed)
        case Tokens():
            return expected.split() == printed.split()
        case Floats():
            wanted, got = expected.split(), printed.split()
            return len(wanted) == len(got) and all(
                one == other or checker.is_close(one, other) for one, other in zip(wanted, got, strict=True)
            )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("window", [5, 1 << 18])
@pytest.mark.parametrize("checker", [Exact(), Lines(), Tokens(), Floats(0.1, 0.1)])
@settings(max_examples=300, deadline=None)
@given(_outputs())
def test_where_an_output_is_cut_makes_no_difference(
    checker: Checker, window: int, outputs: tuple[bytes, bytes, list[int]]
) -> None:
    expected, printed, cuts = outputs
    whole = _compare(checker, expected, printed)
    assert (whole is None) == _plainly_equal(checker, expected, printed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("afterburner.sandbox.comparing.WINDOW", window)
        assert _compare(checker, expected, printed, cuts) == whole
        assert _compare(checker, expected, printed, list(range(len(printed)))) == whole


@settings(max_examples=300, deadline=None)
@given(_outputs())
def test_the_explanation_does_not_depend_on_how_it_is_found(outputs: tuple[bytes, bytes, list[int]]) -> None:
    expected, printed, cuts = (part.replace(b"ab" * 50, b"c") if isinstance(part, bytes) else part for part in outputs)
    expected, printed = expected.replace(b" " * 90, b"  "), printed.replace(b" " * 90, b"  ")
    if max(map(len, (expected + b"\n" + printed).split(b"\n"))) <= 80:
        assert _compare(Lines(), expected, printed, [cut for cut in cuts if cut <= len(printed)]) == _explain_plainly(
            expected, printed
        )


@pytest.mark.parametrize("checker", [Exact(), Lines(), Tokens(), Floats()])
def test_the_expected_output_may_be_in_a_file(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "expected"
    text = b"".join(b"%d word\n" % number for number in range(100_000))
    file.write_bytes(text)
    assert _compare(checker, file, text) is None
    assert _compare(checker, file, text[:-2]) == _compare(checker, text, text[:-2])
    changed = text.replace(b"\n77777 word", b"\n77777 sword")
    assert _compare(checker, file, changed) == _compare(checker, text, changed)
    assert "77778" in str(_compare(Lines(), file, changed))


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        comparison(Lines(), tmp_path / "missing")
    with pytest.raises(UsageError, match="regular file"):
        comparison(Lines(), tmp_path)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (b"", b""),
        (b"", b"\n\n"),
        (b"1\n2\n", b"1\n2"),
        (b"1 2", b"1 2  \t\r\n"),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"\xff\xfe", b"\xff\xfe\n"),
    ],
)
def test_whitespace_at_the_ends_of_lines_does_not_count(expected: bytes, printed: bytes) -> None:
    assert _compare(Lines(), expected, printed) is None
    assert _compare(Lines(), printed, expected) is None


@pytest.mark.parametrize(
    ("expected", "printed", "explanation"),
    [
        (b"1\n2\n3", b"1\n5\n3", "line 2: expected '2', got '5'"),
        (b"1 2", b"1  2", "line 1: expected '1 2', got '1  2'"),
        (b" 1", b"1", "line 1: expected ' 1', got '1'"),
        (b"a\n\nb", b"a\nb", "line 2: expected '', got 'b'"),
        (b"1\n2", b"1\n", "line 2: expected '2', but the output ends after 1 line"),
        (b"1", b"", "line 1: expected '1', but the output ends after 0 lines"),
        (b"1", b"1\n2", "line 2: expected the output to end after 1 line, got '2'"),
        (b"x", b"\x1b[2J\x00", "line 1: expected 'x', got '\\x1b[2J\\x00'"),
    ],
)
def test_the_first_line_that_differs_is_explained(expected: bytes, printed: bytes, explanation: str) -> None:
    assert _compare(Lines(), expected, printed) == explanation


def test_a_difference_far_into_a_long_line_is_shown_around_its_place() -> None:
    explanation = _compare(Lines(), b"a" * 5000 + b"X" + b"b" * 5000, b"a" * 5000 + b"Y" + b"b" * 5000)
    assert explanation is not None
    assert len(explanation) < 300
    assert "aaaXbbb" in explanation
    assert "aaaYbbb" in explanation
    assert "…" in explanation


@pytest.mark.parametrize(
    ("expected", "printed", "explanation"),
    [
        (b"a\n", b"a\n", None),
        (b"a\n", b"a", r"byte 2 (line 1): expected '\n', but the output ends after 1 byte"),
        (b"a\n", b"a\r\n", r"byte 2 (line 1): expected '\n', got '\r\n'"),
        (b"a\nb\nc", b"a\nb\nd", "byte 5 (line 3): expected 'c', got 'd'"),
        (b"a", b"a\xff", r"byte 2 (line 1): expected the output to end after 1 byte, got '\xff'"),
    ],
)
def test_exact_counts_every_byte(expected: bytes, printed: bytes, explanation: str | None) -> None:
    assert _compare(Exact(), expected, printed) == explanation


@pytest.mark.parametrize(
    ("expected", "printed", "explanation"),
    [
        (b"1 2\n3\n", b"  1\r\n2\t\v3", None),
        (b"", b" \n", None),
        (b"1 2 3", b"1 23", "token 2: expected '2', got '23'"),
        (b"12 3", b"1 2 3", "token 1: expected '12', got '1'"),
        (b"1 2 3", b"1 2", "token 3: expected '3', but the output ends after 2 tokens"),
        (b"1 23", b"1 2", "token 2: expected '23', got '2'"),
        (b"1", b"1 2", "token 2: expected the output to end after 1 token, got '2'"),
        (b"", b"1", "token 1: expected the output to end after 0 tokens, got '1'"),
        (b"x", b"\x1b[2J", "token 1: expected 'x', got '\\x1b[2J'"),
        (b"1", b"1.0", "token 1: expected '1', got '1.0'"),
    ],
)
def test_tokens_leave_out_whitespace(expected: bytes, printed: bytes, explanation: str | None) -> None:
    assert _compare(Tokens(), expected, printed) == explanation


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (b"0.1", b"0.1000005"),
        (b"1000000", b"1000000.9"),
        (b"-0.0", b"0"),
        (b"1e3", b"+1000."),
        (b".5", b"5E-1"),
        (b"nan", b"-NaN"),
        (b"inf", b"+Infinity"),
        (b"-inf", b"-INF"),
        (b"9007199254740993", b"9007199254740993.0"),
        (b"12345678901234567890123", b"+12345678901234567890123"),
        (b"1e400", b"10e399"),
        (b"yes 2.0", b"yes\n2"),
    ],
)
def test_floats_may_be_close(expected: bytes, printed: bytes) -> None:
    assert _compare(Floats(), expected, printed) is None


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (b"0.1", b"0.100002"),
        (b"1", b"nan"),
        (b"nan", b"inf"),
        (b"inf", b"-inf"),
        (b"inf", b"1e400"),
        (b"1e400", b"inf"),
        (b"1e400", b"1e401"),
        (b"9007199254740993", b"9007199254740992"),
        (b"9007199254740993", b"9007199254740993.1"),
        (b"12345678901234567890123", b"inf"),
        (b"1000", b"1_000"),
        (b"16", b"0x10"),
        (b"1", b"1f"),
        (b"1", b"0." + b"9" * 2000),
        (b"1", "\N{ARABIC-INDIC DIGIT ONE}".encode()),
        (b"1.0", b"1.0 1.0"),
        (b"1.0 1.0", b"1.0"),
        (b"Yes", b"yes"),
        (b"1", b"1e99999999"),
    ],
)
def test_other_numbers_and_what_is_none_are_not_close(expected: bytes, printed: bytes) -> None:
    assert _compare(Floats(), expected, printed) is not None


def test_either_tolerance_suffices() -> None:
    assert _compare(Floats(relative=0.1, absolute=0), b"100", b"109") is None
    assert _compare(Floats(relative=0.1, absolute=0), b"0", b"0.01") is not None
    assert _compare(Floats(relative=0, absolute=0.1), b"0", b"0.01") is None
    assert _compare(Floats(relative=0, absolute=0.1), b"100", b"100.2") is not None
    assert _compare(Floats(relative=0, absolute=0), b"1.50", b"1.5") is None


@pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf")])
def test_tolerances_that_make_no_sense_are_refused(tolerance: float) -> None:
    with pytest.raises(UsageError, match="finite"):
        Floats(relative=tolerance)
    with pytest.raises(UsageError, match="finite"):
        Floats(absolute=tolerance)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("checker", ["Exact()", "Lines()", "Tokens()", "Floats()"])
@pytest.mark.parametrize("same", [True, False])
def test_huge_outputs_are_compared_without_being_held(checker: str, tmp_path: Path, *, same: bool) -> None:
    """256 MiB in one line, and as much in short lines, by a process that may not have half of that."""
    source = f"""
        import pathlib
        from afterburner.sandbox.checkers import *

        chunk = b"0.12345\\n" * (1 << 13)
        for piece in (b"7" * (1 << 16), chunk):
            file = pathlib.Path({str(tmp_path / "expected")!r})
            with file.open("wb") as handle:
                for _ in range(4096):
                    handle.write(piece)
            looking = comparison({checker}, file)
            for _ in range(4096):
                looking.feed(piece)
            looking.feed(b"" if {same} else b"8" * (1 << 20))
            print(looking.finish())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (128 << 20, 128 << 20)),
    )
    assert [line == "None" for line in done.stdout.splitlines()] == [same, same]


_SAME_SET = """
import sys
given, printed, answer = (open(path).read().split() for path in sys.argv[1:4])
if sorted(printed) != sorted(answer):
    sys.exit(f"{len(printed)} words, \\x1b[31m not those expected for {given}")
"""


@pytest.mark.parametrize(
    ("printed", "verdict", "detail"),
    [("b a", "accepted", ""), ("b c", "wrong_answer", "2 words, \\x1b[31m not those expected for ['seed']")],
)
def test_a_checker_program_decides(sandbox: Sandbox, printed: str, verdict: str, detail: str) -> None:
    checker = Custom(Program("python", _SAME_SET))
    report = sandbox.run(Program("python", f"print('{printed}')"), [TestCase(b"seed", b"a b")], checker=checker)
    assert (report.verdict, report.cases[0].detail) == (verdict, detail)


@pytest.mark.parametrize(("code", "verdict"), [(0, "accepted"), (1, "wrong_answer"), (2, "wrong_answer")])
def test_exit_codes_of_checkers_are_those_of_testlib(sandbox: Sandbox, code: int, verdict: str) -> None:
    checker = Custom(Program("python", f"raise SystemExit({code})"))
    assert sandbox.run(Program("python", ""), [TestCase(b"", b"")], checker=checker).verdict == verdict


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("import os; os.kill(os.getpid(), 11)", "SIGSEGV"),
        ("while True: pass", "CPU time"),
        ("print('x' * 10**6)", "wrote more than"),
    ],
)
def test_a_checker_that_fails_is_no_verdict(sandbox: Sandbox, source: str, reason: str) -> None:
    checker = Custom(Program("python", source), Limits(cpu_time_s=0.5, output_bytes=100_000))
    with pytest.raises(CheckerError, match=reason):
        sandbox.run(Program("python", "print(1)"), [TestCase(b"", b"1")], checker=checker)


def test_a_checker_that_does_not_compile_is_no_verdict(sandbox: Sandbox) -> None:
    checker = Custom(Program("cpp", "int main() { return nothing; }"))
    with pytest.raises(CheckerError, match="does not compile"):
        sandbox.run(Program("python", "print(1)"), [TestCase(b"", b"1")], checker=checker)


def test_a_checker_can_neither_write_its_files_nor_see_the_program(sandbox: Sandbox) -> None:
    source = """
        import os, sys
        for path in sys.argv[1:]:
            try:
                open(path, "a")
            except OSError:
                continue
            sys.exit(3)
        sys.exit(os.path.exists("/tmp/mark") or len(os.listdir("/afterburner/program")) != 4)
    """
    checker = Custom(Program("python", textwrap.dedent(source)))
    program = Program("python", "open('/tmp/mark', 'w'); print(1)")
    assert sandbox.run(program, [TestCase(b"", b"1")], checker=checker).verdict == "accepted"


def test_a_program_that_fails_is_not_checked(sandbox: Sandbox) -> None:
    checker = Custom(Program("python", "raise SystemExit(3)"))
    report = sandbox.run(Program("python", "raise SystemExit(1)"), [TestCase(b"", b"")], checker=checker)
    assert report.verdict == "runtime_error"


def test_a_checker_program_needs_a_sandbox() -> None:
    with pytest.raises(UsageError, match="sandbox"):
        comparison(Custom(Program("python", "")), b"")


@pytest.mark.parametrize(("printed", "verdict"), [("3", "accepted"), ("3\n", "wrong_answer")])
def test_a_checker_may_be_spared_equal_outputs(sandbox: Sandbox, printed: str, verdict: str) -> None:
    program, cases = Program("python", f"print({printed!r}, end='')"), [TestCase(b"", b"3")]
    never = Custom(Program("python", "raise SystemExit('wrong')"), accepts_equal=True)
    assert sandbox.run(program, cases, checker=never).verdict == verdict
    asked = Custom(Program("python", "raise SystemExit('wrong')"))
    assert sandbox.run(program, cases, checker=asked).verdict == "wrong_answer"


@pytest.mark.parametrize(
    ("checker", "verdict"),
    [(Exact(), "wrong_answer"), (Lines(), "wrong_answer"), (Tokens(), "wrong_answer"), (Floats(), "accepted")],
)
def test_the_sandbox_judges_by_the_checker(sandbox: Sandbox, checker: Checker, verdict: str) -> None:
    report = sandbox.run(Program("python", "print(0.1 + 0.2)"), [TestCase(b"", b"0.3")], checker=checker)
    assert report.verdict == verdict
