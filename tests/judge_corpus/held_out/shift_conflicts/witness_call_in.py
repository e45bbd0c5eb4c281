from datetime import datetime

from roster import Shift, find_conflicts

night = Shift("ann", datetime(2024, 3, 4, 20), datetime(2024, 3, 5, 4))
call_in = Shift("ann", datetime(2024, 3, 4, 23), datetime(2024, 3, 4, 23))
handover = Shift("ann", datetime(2024, 3, 5, 4), datetime(2024, 3, 5, 4))
for conflict in find_conflicts([night, call_in, handover]):
    print("conflict at", conflict.second.start, conflict.minutes)
print("checked")
