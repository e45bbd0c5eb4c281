"""Foreign words on one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterburner.agent import WorkloadError
from afterburner.agent.models.requests.spending import SHARE_IS_UP, TIME_IS_UP
from afterburner.ci_action.report.words import one_line, own_option, plain_reason


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n  b\t c ", "a b c"),
        ("\x1b[31mred\u202e", "\\x1b[31mred\\u202e"),
        ("x" * 30, "x" * 9 + "…"),
        (7, "7"),
        (f"f('{'B' * 1_025}e')", "f('BB…(1,025 in a row)e')"),
    ],
)
def test_what_cannot_be_seen_is_written_out_and_what_is_long_is_cut(text: object, line: str) -> None:
    assert one_line(text, 10 if str(text).startswith("x") else 100) == line


def test_an_error_is_told_without_the_place_of_the_checkout_and_without_options_that_are_not_ours() -> None:
    error = WorkloadError(
        "/a/b/src/x.py: nothing calls f. Tried:\n  - pytest: it is never called.\n"
        "Give --calls FILE.py, a file that calls it, or run FOLDER -- python SCRIPT.py."
    )
    assert plain_reason(error, Path("/a/b")) == "src/x.py: nothing calls f. Tried: pytest: it is never called"


def test_the_command_that_runs_tests_pytest_does_not_collect_is_given_with_the_option_of_ci() -> None:
    error = WorkloadError(
        "/a/b: nothing calls its functions. Seen:\n  - pytest finds no tests in the project\n"
        "Give a command that calls them: run FOLDER -- python SCRIPT.py …, or -- python -m MODULE ….\n"
        "If tests.py, x/a_tests.py hold tests, name them: run FOLDER -- python -m pytest tests.py x/a_tests.py"
    )
    assert plain_reason(error, Path("/a/b")).endswith(
        "Seen: pytest finds no tests in the project; "
        'If tests.py, x/a_tests.py hold tests, name them: --tests-command "pytest tests.py x/a_tests.py"'
    )


def test_the_time_that_is_up_is_called_a_share_with_the_option_of_ci() -> None:
    told = own_option(f"of 2 candidates 2 were not measured in time; {TIME_IS_UP}")
    assert told.endswith("in time; its share of the time for the search (--max-minutes) is up")
    assert own_option(f"no rule fits; {SHARE_IS_UP}").endswith(
        "fits; its share of the time for the search (--max-minutes) is up"
    )
    assert own_option("give --max-seconds more.") == "give --max-minutes more."
    assert own_option("Give more time with --max-seconds, or fewer calls").startswith(
        "Give more time with --max-minutes"
    )
    assert own_option("`--max-seconds` is a word of the code") == "`--max-seconds` is a word of the code"
