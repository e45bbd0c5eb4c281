"""Which calls are used, which are held out, and how often they must be made."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from afterburner.agent.inputs.choosing import MAX_CALLS, MAX_MORE, choose_calls, choose_edge_cases, hold_out, more_calls
from afterburner.agent.inputs.harness_answers import FoundCall
from afterburner.agent.inputs.passes import MAX_BYTES_COPIED, MAX_CALLS_MADE, MAX_PASSES, passes_needed
from afterburner.agent.types import WorkloadCall


def call(number: int, cpu_time_s: float, origin: str = "captured from __main__") -> WorkloadCall:
    return WorkloadCall(b"call %d" % number, origin, f"f({number})", cpu_time_s)


def found(number: int, cpu_time_s: float) -> FoundCall:
    return FoundCall(b"call %d" % number, "captured", f"f({number})", "returned", number, cpu_time_s)


def test_calls_that_go_where_no_other_went_are_chosen_before_the_first_ones() -> None:
    calls = [replace(found(n, 0.001), is_new=n % 10 == 7) for n in range(300)]
    chosen = {each.number for each in choose_calls(calls)}
    assert len(chosen) == 40
    assert {each.number for each in calls if each.is_new} <= chosen


def test_recorded_calls_that_are_not_timed_are_compared_on_as_far_as_they_are_cheap() -> None:
    calls = [found(n, 0.2 if n == 70 else 1e-5) for n in range(120)]
    calls.append(replace(found(200, 1e-5), origin="generated"))
    chosen = choose_calls(calls)
    more = more_calls(calls, chosen)
    assert {each.number for each in more} == set(range(120)) - {each.number for each in chosen}
    assert [each.number for each in more] == sorted(each.number for each in more), "in the order in which they came"
    assert len(more_calls([found(n, 1e-5) for n in range(999)], chosen)) == MAX_MORE
    assert more_calls([found(n, 0.2) for n in range(300, 310)], chosen)[1:] == [], "one takes most of the time"
    assert more_calls(chosen, chosen) == []


def test_the_split_is_a_matter_of_seed_and_calls_and_not_of_order() -> None:
    calls = [call(n, 0.01 + n / 1e6, "doctest" if n % 3 else "generated") for n in range(20)]
    chosen, held = hold_out(calls, seed=3)
    shuffled = calls[:]
    random.Random(5).shuffle(shuffled)
    _, held_again = hold_out(shuffled, seed=3)
    assert {each.blob for each in held} == {each.blob for each in held_again}
    assert len(held) == 6
    assert len(chosen) == 14
    assert {each.blob for each in held} != {each.blob for each in hold_out(calls, seed=4)[1]}
    assert {each.origin for each in held} == {"doctest", "generated"}


@pytest.mark.parametrize("count", [2, 3, 4, 7])
@pytest.mark.parametrize("seed", range(5))
def test_each_part_gets_a_heavy_call_if_there_are_two(count: int, seed: int) -> None:
    calls = [call(0, 0.5), call(1, 0.3), *(call(n, 0.0001) for n in range(2, count))]
    for part in hold_out(calls, seed):
        assert any(each.cpu_time_s >= 0.3 for each in part)


@pytest.mark.parametrize("seed", range(5))
def test_the_only_real_call_stays_with_selection(seed: int) -> None:
    calls = [call(0, 0.001), *(call(n, 0.001 * n, "derived") for n in range(1, 8))]
    chosen, held = hold_out(calls, seed)
    assert calls[0] in chosen
    assert held
    assert {each.origin for each in held} == {"derived"}


def test_the_second_best_is_held_out_if_only_one_call_is_heavy() -> None:
    chosen, held = hold_out([call(0, 1.0), call(1, 0.01), call(2, 0.0001), call(3, 0.0001)], seed=0)
    assert chosen[0].cpu_time_s == 1.0
    assert any(each.cpu_time_s == 0.01 for each in held)


@pytest.mark.parametrize("seed", range(5))
def test_a_call_that_raises_is_seen_by_selection(seed: int) -> None:
    calls = [call(n, 0.01) for n in range(10)]
    raising = replace(call(10, 0.0001), expected=b'["outcome","function",["raised",["object","ValueError"]]]')
    assert raising in hold_out([*calls, raising], seed)[0]


def test_one_call_cannot_be_split() -> None:
    assert hold_out([call(0, 1.0)], seed=0) == ([call(0, 1.0)], [])
    assert hold_out([], seed=0) == ([], [])
    two = hold_out([call(0, 1.0, "derived"), call(1, 0.001)], seed=0)
    assert list(map(len, two)) == [1, 1]


def test_first_costly_and_spread_calls_are_chosen_once_and_in_order() -> None:
    calls = [found(n, 0.0001) for n in range(200)]
    calls[150] = found(150, 0.2)
    calls += calls[:50]
    chosen = choose_calls(calls)
    numbers = [each.number for each in chosen]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == MAX_CALLS
    assert {0, 1, 2, 150} <= set(numbers)
    assert any(number > 160 for number in numbers)


def test_time_and_size_are_bounded_but_the_two_costliest_calls_are_always_there() -> None:
    chosen = choose_calls([found(n, 0.4) for n in range(10)] + [found(98, 5.0), found(99, 7.0)])
    assert [each.number for each in chosen] == [0, 98, 99]
    large = [FoundCall(bytes([n]) * 300_000, "captured", "f()", "returned", n, 0.01) for n in range(9)]
    assert len(choose_calls(large)) == 3


def test_edge_cases_are_cheap_but_for_one() -> None:
    edge_cases = [found(n, 0.05 + n / 1000) for n in range(20)] + [found(50, 0.9), found(60, 3.0)]
    chosen = choose_edge_cases(edge_cases, costliest_s=1.0)
    assert [each.number for each in chosen] == [0, 1, 2, 50]
    assert choose_edge_cases([], costliest_s=1.0) == []
    assert choose_edge_cases([found(1, 2.0)], costliest_s=1.0) == []


def test_passes_make_tiny_workloads_measurable() -> None:
    assert passes_needed([call(0, 0.5)]) == 1
    assert passes_needed([call(0, 0.001), call(1, 0.001)]) == 10
    assert passes_needed([call(0, 0.0)]) == MAX_PASSES
    assert passes_needed([]) == 1
    assert passes_needed([call(0, 0.001)], minimum_s=0.1) == 100


def test_passes_are_no_more_than_a_process_has_time_for() -> None:
    """What the driver does around each call takes longer than a small function."""
    assert passes_needed([call(n, 1e-6) for n in range(36)]) * 36 <= MAX_CALLS_MADE
    large = replace(call(0, 1e-6), blob=bytes(MAX_BYTES_COPIED // 3))
    assert passes_needed([large]) == 3
    assert passes_needed([large] * 9) == 1
