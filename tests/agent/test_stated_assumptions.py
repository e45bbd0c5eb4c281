"""What the text of an assumption says of a parameter."""

from __future__ import annotations

import pytest

from afterburner.agent import InputOptions
from afterburner.agent.stated_assumptions import stated_as_called, stated_empty, stated_values
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
