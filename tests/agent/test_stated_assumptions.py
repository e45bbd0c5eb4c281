"""What the text of an assumption says of a parameter, and how advice to state some is put in other words."""

from __future__ import annotations

import pytest

from afterburner.agent import InputOptions
from afterburner.agent.option_kinds import LONGEST_STATED, MOST_STATED
from afterburner.agent.stated_assumptions import (
    advice_to_state,
    stated_as_called,
    stated_empty,
    stated_values,
    with_other_advice,
)
from afterburner.sandbox import UsageError


def test_only_the_plain_words_count() -> None:
    texts = ["as_called(cart)", "not options", 'mode == "fast"', "step in (1, 2)", "flag is None", "cart is not None"]
    texts += ["size == width", "not empty(items)", "len(items) == 3", "x < 3", "not as_called(other)"]
    assert stated_as_called(texts) == {"cart"}
    assert stated_empty(texts) == {"options"}
    assert stated_values(texts) == {"mode", "step", "flag"}


@pytest.mark.parametrize("text", ["not as_called(cart)", "as_called(a, b)", "as_called(a.b)", "x or as_called(x)"])
def test_what_the_real_calls_show_is_stated_by_itself(text: str) -> None:
    with pytest.raises(UsageError, match="takes one parameter and stands alone"):
        InputOptions(assume=(text,))
    assert InputOptions(assume=("as_called(cart)",)).assume == ("as_called(cart)",)


def test_all_advice_of_a_long_text_is_put_in_other_words() -> None:
    advice = advice_to_state(["a > 0", "b == '\" \"'"])
    told = with_other_advice(f"{advice}; " * 2_000, " and ".join)
    assert told == "a > 0 and b == '\" \"'; " * 2_000


def test_what_is_too_long_to_be_stated_is_left_as_it_is() -> None:
    texts = [advice_to_state(["a" * (LONGEST_STATED + 1)]), advice_to_state(["a"] * (MOST_STATED + 1))]
    assert [with_other_advice(each, " and ".join) for each in texts] == texts
    most = advice_to_state(["a" * LONGEST_STATED] * MOST_STATED)
    assert "--assume" not in with_other_advice(f"{most}.", " and ".join)
