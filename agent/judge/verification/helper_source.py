"""The source of what a written test has at its top."""

from functools import cache
from pathlib import Path

NAME = "test_difference"  # of the test's function, until the file is put together


@cache
def helper_source() -> str:
    """The text of `written_helpers.py` without its docstring."""
    return (Path(__file__).parent / "written_helpers.py").read_text("utf-8").partition('"""\n\n')[2]
