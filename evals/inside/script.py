"""Runs a solution with a script of asserts behind it, as EffiBench's grader does, and says so if that ends well."""

from __future__ import annotations

from .calling import kept_stdout, loaded, print_line

PASSED = "passed"


def run(code: str, preamble: str, tests: str) -> None:
    """Run the preamble, the solution, `solution=Solution()` and the tests; what they print is left out."""
    result = kept_stdout()
    names = loaded(code, preamble)
    exec(compile("solution=Solution()\n" + tests, "tests", "exec", dont_inherit=True), names)  # noqa: S102 - in the sandbox
    print_line(result, PASSED)
