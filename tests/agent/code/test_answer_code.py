"""Picking the target's function, with what it needs, out of whatever code a model answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.splice import RewriteError, parse_answer_code, splice
from afterburner.agent.types import Rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SOURCE = '''\
import os
from typing import List

LIMIT = 10


def clean(word):
    """Strip."""
    return word.strip()


class Report:
    """A report."""

    def __init__(self, rows):
        self.rows = rows

    def size(self):
        return len(self.rows)

    def top(self, words: List[str]):
        """Give the top.

        At most LIMIT.
        """
        seen = []
        for word in words:
            if clean(word) not in seen:
                seen.append(clean(word))
        return seen[:LIMIT]
'''
METHOD = "def top(self, words):\n    return list(dict.fromkeys(map(clean, words)))[:LIMIT]\n"
DOC = '    """Give the top.\n\n        At most LIMIT.\n        """\n'
WITH_INTERFACE = METHOD.replace("words):\n", "words: List[str]):\n" + DOC, 1)


def indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "answer",
    [
        METHOD,
        "\n\n" + indented(METHOD) + "\n",
        "class Report:\n" + indented(METHOD),
        "import os\nfrom typing import List\n\nLIMIT = 10\n\ndef clean(word: str) -> str:\n    return word.strip()\n\n"
        "class Report:\n    def size(self):\n        return 0  # not used by top\n\n" + indented(METHOD),
        SOURCE[: SOURCE.index("    def top")] + indented(METHOD),
        "# Faster:\n" + METHOD + "\nif __name__ == '__main__':\n    print(Report([]).top(['a']))\n",
        METHOD.replace("return", '"""Give the top.\n\n    At most LIMIT.\n    """\n    return'),
        "def top(self): pass\n" + METHOD,
        METHOD.replace("(self, words):", "(self,\n        words: list) -> list[str]:\n    'Fast.'"),
        "from other import List\n" + METHOD.replace("(self, words)", "(self, words: List[str])"),
    ],
    ids=[
        "method",
        "indented",
        "class",
        "excerpt",
        "whole-file",
        "demonstration",
        "docstring",
        "last-wins",
        "other",
        "other-import",
    ],
)
def test_the_function_is_found_however_it_is_wrapped(make_target: MakeTarget, answer: str) -> None:
    target = make_target(SOURCE, "Report.top")
    rewrite = parse_answer_code(answer, target)
    assert rewrite == Rewrite(WITH_INTERFACE)
    assert splice(target, rewrite).startswith(SOURCE[: SOURCE.index("        seen = []")])


def test_what_the_function_uses_comes_along_and_nothing_else(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "Report.top")
    answer = (
        "from __future__ import annotations\nimport json, re\nfrom collections import Counter, deque\n"
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n"
        "_WORD = re.compile('x')\nUNUSED = 1\n\n"
        "@staticmethod\ndef _split(word):  # why\n    return _WORD.split(word)\n\n"
        "def unused():\n    return json\n\n"
        "def top(self, words):\n    if np:\n        words = deque(words)\n"
        "    return [_split(clean(w)) for w in words][:LIMIT]\n"
    )
    rewrite = parse_answer_code(answer, target)
    assert rewrite.imports == ("import re", "from collections import deque")
    assert rewrite.helpers == (
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n",
        "_WORD = re.compile('x')\n",
        "@staticmethod\ndef _split(word):  # why\n    return _WORD.split(word)\n",
    )
    compile(splice(target, rewrite), "new", "exec")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("def other(): pass\n", r"does not define Report\.top; it defines other"),
        ("x = 1\n", "it defines no function"),
        ("class Other:\n" + indented(METHOD), "does not define Report.top"),
        ("def top(self, words:\n", "not Python, line 1"),
        ("# nothing\n", "holds no code"),
        ("x = '''\n", "not Python"),
        ("LIMIT = 20\n" + METHOD, "also changes LIMIT"),
        ("def clean(word):\n    return word\n" + METHOD, "also changes clean"),
        ("class Report:\n    def __init__(self, rows):\n        self.cache = {}\n\n" + indented(METHOD), "__init__"),
        (
            "class Report:\n    def _help(self): return 1\n    def top(self, words): return self._help()\n",
            r"adds Report\._help",
        ),
    ],
)
def test_an_answer_that_cannot_be_put_in_place_is_refused(make_target: MakeTarget, answer: str, message: str) -> None:
    with pytest.raises(RewriteError, match=message) as caught:
        parse_answer_code(answer, make_target(SOURCE, "Report.top"))
    assert "\n" not in str(caught.value)


def test_a_method_without_its_class_that_reads_its_own_name_is_no_helper(make_target: MakeTarget) -> None:
    source = (
        "class Stack:\n    def callback(self, callback):\n        self.calls += [callback]\n        return callback"
    )
    answer = "def callback(self, callback):\n    self.calls.append(callback)\n    return callback\n"
    assert parse_answer_code(answer, make_target(source, "Stack.callback")) == Rewrite(answer)


def test_a_docstring_that_the_answer_rewrote_stays_the_authors(make_target: MakeTarget) -> None:
    answer = METHOD.replace(":\n", ':\n    """Give the first LIMIT different words."""\n', 1)
    assert parse_answer_code(answer, make_target(SOURCE, "Report.top")).function == WITH_INTERFACE


def test_a_whole_program_is_the_whole_answer(make_target: MakeTarget) -> None:
    target = make_target("print(input())\n", None)
    assert parse_answer_code("import sys\nprint(sys.stdin.readline())", target) == Rewrite(
        "import sys\nprint(sys.stdin.readline())\n"
    )
    with pytest.raises(RewriteError, match="not Python"):
        splice(target, parse_answer_code("int main() {}", target))


def test_a_function_that_sets_a_global_is_not_taken_for_a_change_of_it(make_target: MakeTarget) -> None:
    code = "def f(x):\n    global seen\n    seen = seen + [x]\n    return seen\n"
    target = make_target("seen = []\n\n\n" + code, "f")
    answer = code.replace("seen + [x]", "[*seen, x]")
    assert parse_answer_code(answer, target) == Rewrite(answer)


def test_an_absurd_answer_of_thousands_of_helpers_is_read(make_target: MakeTarget) -> None:
    """Each calls the next, which once took time that grew with the square of their number."""
    number = 3_000
    helpers = "".join(f"def h{i}(x):\n    return h{i + 1}(x)\n\n\n" for i in range(number))
    answer = f"{helpers}def h{number}(x):\n    return x\n\n\ndef f(x):\n    return h0(x)\n"
    assert len(parse_answer_code(answer, make_target("def f(x):\n    return x\n", "f")).helpers) == number + 1
