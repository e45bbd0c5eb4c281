"""Which numbers are tried in place of one in a counterexample."""

from __future__ import annotations

import pytest

from afterburner.agent.inputs.inside.smaller_calls import _simpler


@pytest.mark.parametrize("bits", [0, 1, 2, 8, 9, 16, 17, 30, 32, 62, 64, 200])
def test_every_number_has_smaller_ones_down_to_a_few_bits(bits: int) -> None:
    for number in {(1 << bits) - 1, (1 << bits) >> 1, -((1 << bits) - 1)} - {0, 1, -1}:
        tried = list(_simpler(number))
        assert {0, 1, -1} <= set(tried)
        assert all(abs(each) <= abs(number) for each in tried)
        shorter = {abs(each).bit_length() for each in tried if (each < 0) == (number < 0)}
        assert abs(number).bit_length() - 1 in shorter | {0, 1}, "half of it"
        assert 2 in shorter or abs(number) < 4, "its first bits"
