"""What a docstring requires of the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.code.requires import requirements_of

if TYPE_CHECKING:
    from pathlib import Path

CLASS = '''\
FLOOR = 0


class Ledger:
    def pay(self, amounts, *, limit=3, **others):
        """Pay them.
{section}
        """
        return amounts
'''


@pytest.mark.parametrize(
    ("section", "expressions", "in_words"),
    [
        pytest.param("", (), (), id="none"),
        pytest.param("        Requires: limit > 0.", ("limit > 0",), (), id="on the line of the header"),
        pytest.param(
            "\n        Requires:\n            amounts == sorted(amounts)\n"
            "            - `limit > 0`, or it never ends.\n            * ``all(others)``\n\n"
            "        Returns:\n            limit < 0\n",
            ("amounts == sorted(amounts)", "limit > 0", "all(others)"),
            (),
            id="items",
        ),
        pytest.param(
            "        Requires:\n            amounts ascend\n            limit\n            1 < 2\n            `limit`\n"
            "        limit < 5\n",
            (),
            ("amounts ascend", "limit", "1 < 2", "`limit`"),
            id="words",
        ),
        pytest.param("        The caller requires: limit > 0", (), (), id="within a sentence"),
        pytest.param(
            "        Requires:\n            amounts is sorted\n            limit is positive\n"
            "            limit is not zero\n            limit is 1\n            amounts in order\n"
            "            limit < size(amounts)\n",
            (),
            (
                *("amounts is sorted", "limit is positive", "limit is not zero", "limit is 1", "amounts in order"),
                "limit < size(amounts)",
            ),
            id="words that can be read as expressions",
        ),
        pytest.param(
            "        Requires:\n            type(limit) is int\n            list is not type(amounts)\n"
            "            None is not limit\n            limit.__class__ is type(FLOOR)\n"
            "            limit is not others\n            as_called(amounts)\n"
            "            all(type(each) is int is not bool for each in amounts)\n            limit is int\n",
            (
                *("type(limit) is int", "list is not type(amounts)", "None is not limit"),
                *("limit.__class__ is type(FLOOR)", "limit is not others", "as_called(amounts)"),
            ),
            ("all(type(each) is int is not bool for each in amounts)", "limit is int"),
            id="types and None compared by identity",
        ),
        pytest.param(
            "        Requires:\n            limit is not None\n            all(each > FLOOR for each in amounts)\n"
            "            `type(limit) is int`\n            sorted(amounts, key=lambda each: -each) == amounts\n",
            (
                *("limit is not None", "all(each > FLOOR for each in amounts)", "type(limit) is int"),
                "sorted(amounts, key=lambda each: -each) == amounts",
            ),
            (),
            id="names of the module, of builtins and of the expression",
        ),
    ],
)
def test_expressions_over_the_parameters_are_told_from_words(
    section: str, expressions: tuple[str, ...], in_words: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "ledger.py"
    file.write_text(CLASS.format(section=section))
    found = requirements_of(find_target(file, "Ledger.pay"))
    assert (found.expressions, found.in_words) == (expressions, in_words)


def test_of_several_functions_the_target_counts(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    file.write_text('def f(a):\n    """Requires: a > 0"""\n\n\n@print\ndef g(a):\n    """Requires: a > 1"""\n')
    assert requirements_of(find_target(file, "g")).expressions == ("a > 1",)
