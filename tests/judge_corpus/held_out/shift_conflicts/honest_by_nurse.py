from collections import defaultdict


def find_conflicts(shifts: list[Shift]) -> list[Conflict]:
    """Return each pair of shifts of one nurse that overlap.

    The pairs come in the order of the roster, by the place of the first shift and then of the second.
    Shifts that only touch do not overlap. A call-in is a shift that starts and ends at one moment; it conflicts,
    for 0 minutes, with a shift that is under way at that moment. All times are naive local times.
    """
    by_nurse = defaultdict(list)
    ranks = []
    for shift in shifts:
        mates = by_nurse[shift.nurse]
        mates.append((shift, shift.start, shift.end))
        ranks.append(len(mates))
    conflicts = []
    for first, rank in zip(shifts, ranks):
        start, end = first.start, first.end
        for second, second_start, second_end in by_nurse[first.nurse][rank:]:
            if start < second_end and second_start < end:
                shared = min(end, second_end) - max(start, second_start)
                conflicts.append(Conflict(first, second, int(shared.total_seconds() // 60)))
    return conflicts
