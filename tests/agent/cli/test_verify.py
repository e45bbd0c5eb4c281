"""`afterburner-agent verify` as a person and a script meet it."""

from __future__ import annotations

import io
import json
from importlib.resources import files
from typing import TYPE_CHECKING

import jsonschema
import pexpect
import pytest

from afterburner.agent import verify
from afterburner.agent.cli.verification_report import print_verification
from afterburner.agent.cli.verify_document import document_of
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import LATE_ONCE
from afterburner.agent.judge.verify import Verification
from afterburner.agent.types import Machine, Target
from afterburner.sandbox.terminal.console import open_console

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

ORIGINAL = """\
def first(names, word=""):
    for name in names:
        if word in name:
            return name
    return None


if __name__ == "__main__":
    print(first(["ash", "elm"], "e"), first(["oak"], "x"), first(["oak", "elm", "oak", "Stra\u00dfe", ""], ""))
"""
OTHERS = {
    "right.py": 'def first(names, word=""):\n    return next((name for name in names if word in name), None)\n',
    "wrong.py": 'def first(names, word=""):\n    return min((name for name in names if word in name), default=None)\n',
    "broken.py": "import no_such_module\n\ndef first(names, word=''):\n    return None\n",
    "uncalled.py": "def lonely(value):\n    return value\n",
}


@pytest.fixture
def folder(tmp_path: Path, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is none
    path = tmp_path / "project"
    path.mkdir()
    for name, text in {"names.py": ORIGINAL, **OTHERS}.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


@pytest.mark.floor
@pytest.mark.slow
def test_a_difference_is_shown_and_ends_with_1(program: CommandLine, folder: Path) -> None:
    command = ("verify", "names.py", "--against", "wrong.py", "-f", "first", "--max-seconds", "20")
    done = program(*command, "--json", "x.json", folder=folder)
    assert done.returncode == 1, done.stderr
    assert "error:" not in done.stderr
    assert "verify: found a difference; shrinking the input" in done.stderr
    document = json.loads((folder / "x.json").read_text("ascii"))
    jsonschema.validate(
        document, json.loads((files("afterburner.agent.cli") / "verify-schema.json").read_text("utf-8"))
    )
    [call] = document["counterexample"]["calls"]
    assert document["decision"] == "different"
    assert document["inputs"] == []
    for shown in (
        "Different",
        f"for       {call}",
        "original  returned",
        "other     returned",
    ):
        assert shown in done.stdout, shown
    difference = document["counterexample"]["difference"]
    has_place = "first difference" in difference or "where" in difference
    assert ("that is   it " in done.stdout) == has_place, "where they first differ, or nothing that is said above"
    assert (folder / "names.py").read_text("utf-8") == ORIGINAL


@pytest.mark.slow
def test_no_difference_ends_with_0_and_says_how_far_it_looked(program: CommandLine, folder: Path) -> None:
    command = ("verify", "names.py", "--against", "right.py", "-f", "first", "--max-seconds", "5", "--json", "-")
    done = program(*command, "--quiet", folder=folder)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(
        document, json.loads((files("afterburner.agent.cli") / "verify-schema.json").read_text("utf-8"))
    )
    assert document["decision"] == "no_difference"
    total = sum(entry["inputs"] for entry in document["inputs"])
    assert total > 2  # more than the real calls, however busy the machine
    assert f"the same on {total} inputs" in done.stderr
    assert document["float_tolerance"] is None


@pytest.mark.slow
def test_a_test_that_fails_with_the_other_file_is_told_where_no_input_shows_anything(
    program: CommandLine, folder: Path
) -> None:
    (folder / "names.py").write_text(
        f"KINDS = ['oak', 'elm']\n\n\n{ORIGINAL}", encoding="utf-8"
    )  # the other has no such
    (folder / "test_names.py").write_text(
        "import names\n\ndef test_all():\n    assert names.first(['oak'], 'a') == 'oak'\n"
        "\ndef test_kinds():\n    assert names.first(names.KINDS) == 'oak'\n",
        encoding="utf-8",
    )
    command = ("verify", "names.py", "--against", "right.py", "-f", "first", "--max-seconds", "5", "--json", "-")
    done = program(*command, "--quiet", folder=folder)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert (document["decision"], document["counterexample"]) == ("different", None)
    assert (
        document["broken_tests"]
        == "test_names.py::test_kinds passed with the original and failed with the other version"
    )
    assert done.stderr.startswith("Different  names.py first, right.py\n  tests     test_names.py::test_kinds passed")
    assert "the same on " in done.stderr


def test_lines_that_no_input_reached_are_told() -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    found = Agreement((("empty", 3),), unreached=(4, 5))
    result = Verification(target, "/right.py", found, (), (), (), machine, 1.0)
    console = open_console(io.StringIO())
    print_verification(console, result)
    assert isinstance(console.file, io.StringIO)
    assert "  no input reached lines 4 and 5 of the original\n" in console.file.getvalue()
    assert document_of(result, 0, None).unreached == [4, 5]


@pytest.mark.parametrize(
    ("origins", "told"),
    [
        (
            ("generated", "generated"),
            "none of its inputs is from your project: all come from 2 calls made from type hints",
        ),
        (("generated", "pytest: test_names.py"), ""),
    ],
)
def test_inputs_that_no_call_of_the_project_began_are_told(origins: tuple[str, ...], told: str) -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    result = Verification(target, "/right.py", Agreement((("empty", 3),)), origins, (), (), machine, 1.0)
    console = open_console(io.StringIO())
    print_verification(console, result)
    assert isinstance(console.file, io.StringIO)
    assert not told or f"  {told}\n" in console.file.getvalue()
    assert ("from your project" in console.file.getvalue()) == bool(told)
    assert document_of(result, 0, None).from_project == (not told)


@pytest.mark.parametrize(
    ("differs", "headline"),
    [
        ((), "No difference found  "),
        (("unvaried",), "No difference found with `self` only as in the real calls  "),
        (
            ("unvaried", "beyond_hints"),
            "No difference found with `self` only as in the real calls, on values that fit the type hints  ",
        ),
        (("beyond_hints",), "No difference found on values that fit the type hints  "),
        (("beyond_calls",), "No difference found on values of the kinds in the real calls  "),
        (
            ("beyond_hints", "beyond_calls"),
            "No difference found on values of the kinds in the real calls and that fit the type hints  ",
        ),
    ],
)
def test_the_headline_says_on_which_values_no_difference_was_found(differs: tuple[str, ...], headline: str) -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    other = Counterexample(("first(True)",), "returned 1", "returned 2", "it differs", "boolean", ())
    named = {"unvaried": ("self",)} if "unvaried" in differs else {}
    of_values = dict.fromkeys((each for each in differs if each != "unvaried"), other)
    found = Agreement((("empty", 3),), **named, **of_values)  # type: ignore[arg-type]
    console = open_console(io.StringIO())
    print_verification(console, Verification(target, "/right.py", found, (), (), (), machine, 1.0))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().startswith(headline)
    assert ("for example" in console.file.getvalue()) == bool(of_values)


@pytest.mark.parametrize(
    ("actual", "difference", "shown"),
    [
        ("returned [2]", "returned [2] instead of [1]", False),
        ("raised ValueError()", "raised ValueError() instead of returning [1]", False),
        ("returned [2]", "returned [2] instead of [1] (first difference at [0])", True),
    ],
)
def test_the_difference_is_shown_if_it_says_more_than_what_both_did(actual: str, difference: str, shown: bool) -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    found = Counterexample(("first([1])",), "returned [1]", actual, difference, "boolean", ())
    console = open_console(io.StringIO())
    print_verification(console, Verification(target, "/right.py", found, (), (), (), machine, 1.0))
    assert isinstance(console.file, io.StringIO)
    assert f"  other     {actual}\n" in console.file.getvalue()
    assert (f"  that is   it {difference}\n" in console.file.getvalue()) == shown


def test_a_time_limit_that_is_reached_once_is_not_called_a_difference() -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    late = Counterexample(
        ("first([1])",),
        "returned [1]",
        "did not come to an end",
        "did not come to an end",
        "boolean",
        (),
        every_time=False,
        timed_out=True,
        remark=LATE_ONCE,
    )
    console = open_console(io.StringIO())
    print_verification(console, Verification(target, "/right.py", late, (), (), (), machine, 1.0))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().startswith("Not known to be different  ")
    assert f"  not known {LATE_ONCE}\n" in console.file.getvalue()


@pytest.mark.slow
def test_every_recorded_call_is_compared_on_though_few_are_timed(folder: Path) -> None:
    main = "\n\nif __name__ == '__main__':\n    for n in range(1000, 1100):\n        f(n)\n"
    (folder / "one.py").write_text(f"def f(n):\n    return n * 2{main}", encoding="utf-8")
    odd = f"def f(n):\n    return n * 2 + (n * 7919 % 10007 == {1030 * 7919 % 10007})"
    (folder / "two.py").write_text(f"{odd}{main}", encoding="utf-8")
    found = verify(folder / "one.py", against=folder / "two.py", function="f", max_seconds=2.0).found
    assert isinstance(found, Counterexample)
    assert found.calls == ("f(1030)",)
    assert found.on_real_call, found.kind


@pytest.mark.slow
def test_a_line_that_the_other_changes_and_no_input_reaches_is_told_in_the_headline(folder: Path) -> None:
    hashed = (
        "def f(text):\n    if hash(text) == 5:\n        return %s\n    return text[::-1]\n\n\nprint(f('ab'), f('c'))\n"
    )
    (folder / "one.py").write_text(hashed % "1", encoding="utf-8")
    (folder / "two.py").write_text(hashed % "2", encoding="utf-8")
    (folder / "same.py").write_text(hashed.replace("text[::-1]", "''.join(reversed(text))") % "1", encoding="utf-8")
    for other, headline, untried in (
        ("two.py", ", but no input reached line 3 of the original, which the other changes or may skip", [3]),
        ("same.py", "", []),
    ):
        result = verify(folder / "one.py", against=folder / other, function="f", max_seconds=5.0)
        console = open_console(io.StringIO())
        print_verification(console, result)
        assert isinstance(console.file, io.StringIO)
        assert console.file.getvalue().startswith(f"No difference found{headline}  {folder}")
        document = document_of(result, 0, None)
        assert (document.untried, document.unreached) == (untried, [3])


def test_real_calls_alone_are_no_search() -> None:
    target = Target("/names.py", ORIGINAL, "first", "names", "/", "/")
    machine = Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits")
    for kinds, headline in (
        ((("__main__", 3),), "No difference found on the real calls alone: no input was made  "),
        ((("__main__", 3), ("empty", 1)), "No difference found  "),
        ((("generated", 3),), "No difference found on the generated calls alone: no input was made  "),
    ):
        result = Verification(target, "/right.py", Agreement(kinds), (kinds[0][0],) * 3, (), (), machine, 1.0)
        console = open_console(io.StringIO())
        print_verification(console, result)
        assert isinstance(console.file, io.StringIO)
        assert console.file.getvalue().startswith(headline)
        assert "the time was up (--max-seconds allows more)" in console.file.getvalue()


BANDS = '''\
from bisect import bisect_right


def bands(limits, values):
    """Count.

    Requires:
        list(limits) == sorted(limits)
        few limits
    """
    return {counted}


if __name__ == "__main__":
    bands([1, 5, 9], [0, 3, 9])
    bands([2, 4], [1, 7, 8])
'''


@pytest.mark.slow
def test_what_the_docstring_requires_is_no_condition(program: CommandLine, folder: Path) -> None:
    summed = "[sum(limit <= value for limit in limits) for value in values]"
    (folder / "bands.py").write_text(BANDS.format(counted=summed), encoding="utf-8")
    bisected = "[bisect_right(limits, value) for value in values]"
    (folder / "bisected.py").write_text(BANDS.format(counted=bisected), encoding="utf-8")
    command = ("verify", "bands.py", "--against", "bisected.py", "-f", "bands", "--max-seconds", "4", "--json", "-")
    done = program(*command, "--quiet", folder=folder)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["decision"] == "no_difference"
    assert document["assume"] == ["list(limits) == sorted(limits)"]
    [left_out] = [each["reason"] for each in document["skipped"] if "Requires:" in each["origin"]]
    assert left_out == "no expression over the parameters: few limits"
    assert "stated of every input: list(limits) == sorted(limits)" in done.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_floats_may_differ_by_as_much_as_is_said(program: CommandLine, folder: Path) -> None:
    source = "def mean(values):\n    return {total}(values) / max(len(values), 1)\n\n"
    main = 'if __name__ == "__main__":\n    mean([0.1] * 10)\n    mean([0.5, 0.7])\n'
    for name, total in (("mean.py", "sum"), ("exact.py", "math.fsum")):
        (folder / name).write_text("import math\n\n" + source.format(total=total) + main, encoding="utf-8")
    command = ("verify", "mean.py", "--against", "exact.py", "-f", "mean", "--max-seconds", "4", "--quiet")
    strict = program(*command, folder=folder)
    assert strict.returncode == 1, strict.stderr
    lax = program(*command, "--float-tolerance", "0.5", "--json", "x.json", folder=folder)
    assert "floats may differ by 0.5 of the larger one" in lax.stdout
    assert json.loads((folder / "x.json").read_text("ascii"))["float_tolerance"] == 0.5


@pytest.mark.slow
def test_a_file_that_cannot_be_imported_is_different(folder: Path) -> None:
    told: list[ProgressEvent] = []
    verification = verify(
        folder / "names.py",
        against=folder / "broken.py",
        function="first",
        max_seconds=20,
        on_event=told.append,
    )
    assert isinstance(verification.found, Counterexample)
    assert not verification.agrees
    assert "No module named 'no_such_module'" in verification.found.line
    assert EventKind.SHRINKING in {event.kind for event in told}
    assert {event.job for event in told} == {f"{folder / 'names.py'}::first"}
    assert len({event.run_id for event in told}) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("names.py", "-f", "first"), 2, "--against"),
        (("names.py", "--against", "right.py"), 2, "--function"),
        (("names.py", "--against", "none.py", "-f", "first"), 2, "No such file"),
        (("names.py", "--against", "uncalled.py", "-f", "first"), 2, "first"),
        (("names.py", "--against", "right.py", "-f", "first", "--json", "right.py"), 2, "this is the other file"),
        (("uncalled.py", "--against", "uncalled.py", "-f", "lonely"), 4, "no usable calls of lonely"),
    ],
)
def test_what_cannot_be_compared(
    program: CommandLine, folder: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = program("verify", *arguments, "--quiet", folder=folder)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_on_a_terminal_it_can_be_interrupted(program: CommandLine, folder: Path) -> None:
    command = ("verify", "names.py", "--against", "right.py", "-f", "first")
    with program.on_terminal(*command, folder=folder) as terminal:
        terminal.expect("the same on ")
        terminal.send("\x03")
        terminal.expect("interrupted")
        assert "nothing better yet" not in str(terminal.before)
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 130
