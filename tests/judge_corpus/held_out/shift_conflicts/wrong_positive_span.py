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
        ranks.append(len(by_nurse[shift.nurse]) + 1)
        by_nurse[shift.nurse].append(shift)
    conflicts = []
    for first, rank in zip(shifts, ranks):
        for second in by_nurse[first.nurse][rank:]:
            shared = min(first.end, second.end) - max(first.start, second.start)
            seconds = shared.total_seconds()
            if seconds > 0:
                conflicts.append(Conflict(first, second, int(seconds // 60)))
    return conflicts
