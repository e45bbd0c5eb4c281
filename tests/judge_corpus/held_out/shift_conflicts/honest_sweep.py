def find_conflicts(shifts: list[Shift]) -> list[Conflict]:
    """Return each pair of shifts of one nurse that overlap.

    The pairs come in the order of the roster, by the place of the first shift and then of the second.
    Shifts that only touch do not overlap. A call-in is a shift that starts and ends at one moment; it conflicts,
    for 0 minutes, with a shift that is under way at that moment. All times are naive local times.
    """
    by_nurse: dict[str, list[int]] = {}
    for place, shift in enumerate(shifts):
        by_nurse.setdefault(shift.nurse, []).append(place)
    pairs = []
    for places in by_nurse.values():
        places.sort(key=lambda place: shifts[place].start)
        for rank, a in enumerate(places):
            start, end = shifts[a].start, shifts[a].end
            for b in places[rank + 1:]:
                if shifts[b].start >= end:
                    break
                if start < shifts[b].end:
                    pairs.append((a, b) if a < b else (b, a))
    pairs.sort()
    conflicts = []
    for a, b in pairs:
        first, second = shifts[a], shifts[b]
        shared = min(first.end, second.end) - max(first.start, second.start)
        conflicts.append(Conflict(first, second, int(shared.total_seconds() // 60)))
    return conflicts
