import random

import pytest
from render_queue import Frame, before_breakfast, finishing_times, shots_ready, tonight


def test_frames_take_turns():
    frames = [Frame("a", 1, 5), Frame("a", 2, 2), Frame("b", 1, 4)]
    assert list(finishing_times(frames, 2).items()) == [("a.0002", 4), ("b.0001", 10), ("a.0001", 11)]


def test_a_long_slice_works_through_them_in_order():
    frames = [Frame("a", 1, 5), Frame("b", 1, 2)]
    assert finishing_times(frames, 60) == {"a.0001": 5, "b.0001": 7}


def test_nothing_to_do():
    assert finishing_times([], 10) == {}


@pytest.mark.parametrize("minutes", [0, -3])
def test_a_slice_must_take_time(minutes):
    with pytest.raises(ValueError, match=f"not {minutes} minutes"):
        finishing_times([Frame("a", 1, 5)], minutes)


def test_all_the_work_is_done_and_the_list_of_frames_is_left_alone():
    frames = tonight(random.Random(4), shots=6, frames_per_shot=20)
    before = list(frames)
    finished = finishing_times(frames, 3)
    assert frames == before
    assert max(finished.values()) == sum(frame.minutes for frame in frames)
    assert finished.keys() == {frame.label for frame in frames}


def test_a_shot_is_ready_with_its_last_frame():
    frames = [Frame("a", 1, 5), Frame("a", 2, 2), Frame("b", 1, 4)]
    ready = shots_ready(frames, finishing_times(frames, 2))
    assert ready == {"a": 11, "b": 10}
    assert before_breakfast(ready, machines=2, night_minutes=5) == ["b"]
