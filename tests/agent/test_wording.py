"""How counts and ratios are written for people."""

from __future__ import annotations

import math

from afterburner.agent.wording import count, format_beside, format_by_size, format_ratio, format_share, shorten_middle


def test_counting() -> None:
    assert [count(1, "line"), count(2, "line"), count(0, "branch")] == ["1 line", "2 lines", "0 branches"]


def test_a_ratio_that_is_none_is_a_dash() -> None:
    assert format_ratio(math.nan) == "-"
    assert [format_ratio(each) for each in (0.0, 0.00532, 0.0213, 0.1, 0.97)] == [
        "0.00x",
        "0.0053x",
        "0.021x",
        "0.10x",
        "0.97x",
    ]


def test_a_ratio_shows_on_which_side_of_a_limit_it_lies() -> None:
    assert format_beside((1.02, 0.98, 1.0527), 1 / 1.05, 1.05) == ["1.02x", "0.98x", "1.053x", "0.95x", "1.050x"]
    assert format_beside((1.05004,), 1.05) == ["1.05004x", "1.05000x"]
    between = format_beside((0.9523, 0.94, 0.954), 1 / 1.05, 1.05)
    assert between == ["0.9523x", "0.94x", "0.954x", "0.9524x", "1.05x"], "the limit lies between two of them"
    assert format_beside((1.2, 1.05, math.nan), 1.05) == ["1.20x", "1.05x", "-", "1.05x"]


def test_a_share_that_is_something_is_never_shown_as_none() -> None:
    assert [format_share(each) for each in (0.0, 0.0004, 0.064, 0.62, 1.0)] == ["0%", "<0.1%", "6.4%", "62%", "100%"]
    assert [format_share(each, 1) for each in (0.0, 0.0004, 0.064, 0.623)] == ["0.0%", "<0.1%", "6.4%", "62.3%"]


def test_gains_by_size_name_a_loss_in_words() -> None:
    assert format_by_size(1.9, 38.0) == "1.90x on small inputs to 38.0x on large ones"
    assert format_by_size(0.997, 38.0) == "1.00x on small inputs to 38.0x on large ones"
    assert format_by_size(0.5, 38.0) == "2.00x slower on small inputs, 38.0x faster on large ones"


def test_a_text_that_is_shortened_keeps_both_its_ends() -> None:
    assert shorten_middle("f([1, 2])", 9) == "f([1, 2])"
    assert shorten_middle("f([1, 2, 3, 4, 5])", 12) == "f([1, 2… 5])"
