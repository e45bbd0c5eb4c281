"""Which calls of a workload inputs are made from."""

from __future__ import annotations

from afterburner.agent.inputs.chosen_blobs import MOST_BYTES, QUICK_BYTES, blobs_of_all_sizes, smallest_blobs
from afterburner.agent.types import WorkloadCall


def calls_of(*sizes: int) -> list[WorkloadCall]:
    return [WorkloadCall(bytes(size), "pytest", "f(1)", 0.1) for size in sizes]


def sizes_of(blobs: list[bytes]) -> list[int]:
    return [len(blob) for blob in blobs]


def test_of_many_calls_half_are_the_smallest_and_the_others_of_all_sizes_that_are_quick() -> None:
    calls = calls_of(*range(100, 0, -1), QUICK_BYTES, QUICK_BYTES + 1, 10 * QUICK_BYTES)
    chosen = sizes_of(blobs_of_all_sizes(calls, 8))
    assert chosen[:4] == [1, 2, 3, 4]
    assert len(chosen) == 8
    assert chosen[4] == 5
    assert 70 < chosen[-1] <= QUICK_BYTES
    assert chosen == sorted(chosen)


def test_few_calls_are_all_chosen_however_large_and_always_one() -> None:
    assert sizes_of(blobs_of_all_sizes(calls_of(7, 10 * QUICK_BYTES, 3), 8)) == [3, 7, 10 * QUICK_BYTES]
    assert sizes_of(blobs_of_all_sizes(calls_of(MOST_BYTES + 1, MOST_BYTES + 2), 8)) == [MOST_BYTES + 1]
    assert sizes_of(smallest_blobs(calls_of(9, 8, 7), 2)) == [7, 8]


def test_large_calls_stand_beside_small_ones_where_nothing_else_is_quick() -> None:
    assert sizes_of(blobs_of_all_sizes(calls_of(*[QUICK_BYTES + 1] * 5, 1, 2, 3), 4)) == [1, 2, 3, QUICK_BYTES + 1]
