"""The prompt has the paper's parts in the paper's order; the description tells enough and no secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.context.describe import DEFAULT_TOKENS
from afterburner.agent.code.context.token_budget import BYTES_PER_TOKEN
from afterburner.agent.models.prompts.answer_format import parse_answer
from afterburner.agent.models.prompts.description import describe_target
from afterburner.agent.models.prompts.prompt import render_prompt
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]


def rendered(language: str, description: str, code: str, counterexample: str = "", objective: str = "time") -> str:
    """The user's message for a solution that passes."""
    messages = render_prompt(
        language=language,
        objective=objective,
        problem_description=description,
        original_solution=code,
        passed=True,
        wall_time_s=1.25,
        peak_memory_kib=20_480,
        memory_integral_kib_s=25_600.5,
        counterexample=counterexample,
    )
    assert [message["role"] for message in messages] == ["system", "user"]
    return messages[1]["content"]


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (Objective.TIME, "time-efficient"),
        (Objective.MEMORY, "memory-efficient"),
        (Objective.INTEGRAL, "both time and memory efficient"),
    ],
)
def test_the_parts_come_in_order_with_units(objective: Objective, words: str) -> None:
    text = rendered("python", "Add up.", "def f(): ...\n", objective=objective)
    parts = [
        f"{words} solution in Python",
        "Add up.",
        "```python\ndef f(): ...\n```",
        "Passed: True\nTime: 1.25 s\nMemory: 20480 KiB\nIntegral: 25600.5 KiB·s",
        "<thinking>",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_counterexample_is_one_more_section_and_without_one_nothing_changes() -> None:
    plain = rendered("python", "Add up.", "x")
    told = rendered("python", "Add up.", "x", "f([1,\n1]) returned 2 instead of 1 " + "x" * 5000)
    assert "Counterexample" not in plain
    before, _, after = told.partition("## Counterexample\n")
    section, _, rest = after.partition("\n\n## Output format")
    assert before + "## Output format" + rest == plain
    assert section.endswith("…")
    assert "here: f([1, 1]) returned 2 instead of 1" in section
    assert len(section) < 1_400


def test_a_first_generation_has_no_original() -> None:
    text = render_prompt(language="c++", objective="time", problem_description="Add up.")[1]["content"]
    assert "## Original solution\n```c++\n\n```" in text
    assert "Time: not measured" in text
    assert "write the first one" in text


def test_code_with_fences_of_its_own_is_fenced_longer() -> None:
    text = rendered("python", "", "'''\n````\n'''")
    assert "`````python\n'''\n````\n'''\n`````" in text


def test_the_format_that_is_asked_for_is_the_one_that_is_read() -> None:
    text = rendered("python", "", "x")
    assert parse_answer(text[text.index("<thinking>") :]).code == "the complete code\n"


@pytest.mark.parametrize("wrong", [{"language": "cobol"}, {"objective": "beauty"}])
def test_what_cannot_be_meant_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong.values()))):
        render_prompt(**{"language": "python", "objective": "time", "problem_description": "Add up."} | wrong)  # type: ignore[arg-type]


SOURCE = '''\
import os
import re
from shop import Item
LIMIT = 10
API_KEY = "abc"
PASSWORDS = {"root": "hunter2"}
DSN = f"db://{LIMIT}"
SETTINGS = {"auth_token": "x1", "colour": "red", "size": 3}
OPAQUE = "sk-live-0123456789abcdef"
CLIENT = Item(secret="s3cr3t", name="n")
URL = "https://me:pass@host/"
WORD = re.compile(r"\\w+")
unrelated = "never mentioned"


def helper(x):
    return x + LIMIT


def other():
    return 1


class Cart:
    """A cart."""

    rate = 2

    def __init__(self, items):
        self.items = items

    def tax(self):
        return self.rate

    def idle(self):
        return "idle"

    @staticmethod
    def total(self, names: list[str], *, by=None) -> int:
        """Give the total.

        It counts everything.
        """
        print(API_KEY, PASSWORDS, DSN, SETTINGS, OPAQUE, CLIENT, URL, WORD)
        return sum(helper(i) for i in self.items) + self.tax()
'''


def test_a_function_is_described_by_what_its_own_file_says(make_target: MakeTarget) -> None:
    text = describe_target(make_target(SOURCE, "Cart.total"))
    for part in (
        "method `Cart.total`",
        "def total(self, names: list[str], *, by=None) -> int",
        "Give the total.\n\nIt counts everything.",
        "import os\nimport re\nfrom shop import Item",
        "def helper(x):\n    return x + LIMIT",
        "self.items = items",
        "return self.rate",
        "WORD = re.compile('\\\\w+')",
        "'colour': 'red', 'size': 3",
    ):
        assert part in text
    for part in ("unrelated", "def other", "idle", "return sum("):
        assert part not in text


@pytest.mark.parametrize("secret", ["'abc'", "hunter2", "db://", "x1", "sk-live", "s3cr3t", "me:pass"])
def test_what_looks_like_a_secret_is_not_told(make_target: MakeTarget, secret: str) -> None:
    assert secret not in describe_target(make_target(SOURCE, "Cart.total"))


@pytest.mark.nightly
def test_the_description_is_bounded(make_target: MakeTarget) -> None:
    names = [f"n{i}" for i in range(400)]
    source = "".join(f"{name} = [{'1, ' * 100}]\n" for name in names)
    source += "def big():\n" + "    x = 1\n" * 5000
    source += f"def f():\n    return big({', '.join(names)})\n"
    text = describe_target(make_target(source, "f"))
    assert len(text) < DEFAULT_TOKENS * BYTES_PER_TOKEN + 1000
    assert "left out" in text


def test_a_program_is_described_by_its_docstring(make_target: MakeTarget) -> None:
    text = describe_target(make_target('"""Count words."""\nprint(len(input().split()))\n', None))
    assert "stdin" in text
    assert "Count words." in text


def test_an_async_function_says_so(make_target: MakeTarget) -> None:
    assert "async def f(a, b=2)" in describe_target(make_target("async def f(a, b=2):\n    return a\n", "f"))
