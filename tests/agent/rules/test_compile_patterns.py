"""compile-patterns: constant patterns move to module level, everything else stays where it fails or works."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.compile_patterns import CompilePatterns

REPORT = r"""
import re

def report(lines, other=None):
    found = []
    for line in lines:
        # keep this comment
        match = re.search(r"(\d+) ms", line)  # and this
        if match and re.match(pattern="[a-z]+", string=line, flags=re.I | re.M):
            found.append(int(match.group(1)))
        line = re.sub("a" "b", re.sub(r"\s+", " ", line), line, 0, re.IGNORECASE)
        found += re.split(",", line, maxsplit=1)
        found.append(re.compile(r"(\d+) ms").search(line) is not None)
    return found
"""

METHOD = """
import re as rx
from re import findall
WORD = r"\\w+"

class Words:
    def count(self, text):
        return len(findall(WORD, text)) + len(rx.findall(WORD, text, ))
"""

PROGRAM = """
import sys
import re

for line in sys.stdin:
    print(re.sub("[0-9]", "#", line))
"""


def test_every_function_of_re_with_a_constant_pattern_uses_a_compiled_one(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(CompilePatterns(), REPORT, "report")
    assert after.count("re.compile(") == 5
    assert after.index("re.compile(") < after.index("def report")
    assert "# keep this comment" in after
    assert "# and this" in after
    agree(
        REPORT,
        after,
        "report",
        [(["12 ms ab, c, d", "x 3 ms AB", ""],), ([None],), ([b"1 ms"],), ([],), (5,)],
    )


def test_aliases_and_constants_of_the_module_are_understood(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(CompilePatterns(), METHOD, "Words.count")
    assert after.count("rx.compile(WORD)") == 1
    assert "findall(WORD" not in after.replace("rx.compile(WORD)", "")
    agree(METHOD, after, "Words.count", [(None, "a b c"), (None, 7)])


def test_a_program_at_module_level_gets_the_pattern_after_its_import(apply: Callable[..., Any]) -> None:
    after = apply(CompilePatterns(), PROGRAM)
    assert after == PROGRAM.replace("for line", '_PATTERN = re.compile("[0-9]")\nfor line').replace(
        're.sub("[0-9]", ', "_PATTERN.sub("
    )


@pytest.mark.parametrize(
    "body",
    [
        'return re.search("(", x)',  # must go on failing in the call
        'return re.search(f"{x}", x)',
        "return re.search(x, x)",
        'return re.search("a", x, x)',
        'return re.search("a", x, re.DEBUG)',
        'return re.search("a")',
        'return re.search("a", x, 0, 0)',
        'return re.search("a", *x)',
        'return re.escape("a")',
    ],
)
def test_what_is_not_a_constant_working_pattern_stays(apply: Callable[..., Any], body: str) -> None:
    assert apply(CompilePatterns(), f"import re\ndef f(x):\n    {body}\n", "f") is None


def test_a_shadowed_re_is_not_the_module(apply: Callable[..., Any]) -> None:
    assert apply(CompilePatterns(), 'def f(re, x):\n    return re.search("a", x)\n', "f") is None
    assert apply(CompilePatterns(), 'def f(x):\n    return re.search("a", x)\nimport re\n', "f") is None
