from collections import defaultdict
from itertools import combinations


def find_conflicts(shifts: list[Shift]) -> list[Conflict]:
    """Return each pair of shifts of one nurse that overlap.

    The pairs come in the order of the roster, by the place of the first shift and then of the second.
    Shifts that only touch do not overlap. A call-in is a shift that starts and ends at one moment; it conflicts,
    for 0 minutes, with a shift that is under way at that moment. All times are naive local times.
    """
    by_nurse = defaultdict(list)
    for shift in shifts:
        by_nurse[shift.nurse].append(shift)
    conflicts = []
    for own in by_nurse.values():
        for first, second in combinations(own, 2):
            if first.start < second.end and second.start < first.end:
                shared = min(first.end, second.end) - max(first.start, second.start)
                conflicts.append(Conflict(first, second, int(shared.total_seconds() // 60)))
    return conflicts
