"""Plans the night on the render farm: which frame is ready when, if all shots share the machines fairly.

A frame gets one slice of a machine's time, then goes to the back of the queue, so that a single heavy shot cannot
hold up everybody else.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """One picture to compute. `minutes` is the estimate from the last preview."""

    shot: str
    number: int
    minutes: int

    @property
    def label(self) -> str:
        return f"{self.shot}.{self.number:04d}"


def finishing_times(frames: list[Frame], slice_minutes: int) -> dict[str, int]:
    """The machine minute at which each frame is finished, by its label, in the order of finishing."""
    if slice_minutes <= 0:
        raise ValueError(f"a slice must take some time, not {slice_minutes} minutes")
    queue = []
    for frame in frames:
        queue.append((frame.label, frame.minutes))
    clock = 0
    finished: dict[str, int] = {}
    while queue:
        label, left = queue.pop(0)
        if left <= slice_minutes:
            clock += left
            finished[label] = clock
        else:
            clock += slice_minutes
            queue.append((label, left - slice_minutes))
    return finished


def shots_ready(frames: list[Frame], finished: dict[str, int]) -> dict[str, int]:
    """When the last frame of each shot is finished."""
    ready: dict[str, int] = {}
    for frame in frames:
        ready[frame.shot] = max(ready.get(frame.shot, 0), finished[frame.label])
    return ready


def before_breakfast(ready: dict[str, int], machines: int, night_minutes: int) -> list[str]:
    """The shots that are done by the morning."""
    return sorted(shot for shot, minute in ready.items() if minute / machines <= night_minutes)


def tonight(rng: random.Random, shots: int, frames_per_shot: int) -> list[Frame]:
    """A night's work as it comes from the artists: whole shots, one after the other."""
    frames = []
    for index in range(shots):
        weight = rng.choice([2, 3, 3, 5, 9])
        shot = f"sq{index // 10 + 1:02d}_{index % 10 * 10:03d}"
        frames += [Frame(shot, number, rng.randint(1, weight * 4)) for number in range(1, frames_per_shot + 1)]
    return frames


def print_plan(frames: list[Frame], slice_minutes: int, machines: int) -> None:
    """The plan as it goes to the channel."""
    ready = shots_ready(frames, finishing_times(frames, slice_minutes))
    done = before_breakfast(ready, machines, night_minutes=10 * 60)
    last = max(ready, key=ready.__getitem__)
    print(f"slices of {slice_minutes} min: {len(done)} of {len(ready)} shots by breakfast, last is {last}")


if __name__ == "__main__":
    rng = random.Random(99)
    frames = tonight(rng, shots=90, frames_per_shot=220)
    for slice_minutes in (4, 6, 10, 15):
        print_plan(frames, slice_minutes, machines=100)
    print_plan(tonight(rng, shots=100, frames_per_shot=180), slice_minutes=5, machines=100)
