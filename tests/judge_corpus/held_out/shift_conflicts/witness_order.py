from datetime import datetime

from roster import Shift, find_conflicts


def at(nurse, start, end):
    return Shift(nurse, datetime(2024, 3, 4, start), datetime(2024, 3, 4, end))


roster = [at("ann", 6, 10), at("bea", 7, 12), at("bea", 8, 14), at("ann", 9, 13), at("ann", 12, 15)]
for conflict in find_conflicts(roster):
    print(conflict.first.nurse, conflict.first.start.hour, conflict.second.start.hour, conflict.minutes)
