"""Seat plans of the theatre's halls."""

import copy
import json
import random
from collections.abc import Iterable
from datetime import date, timedelta


def seat_plans(template: dict, evenings: Iterable[date]) -> dict[date, dict]:
    """A plan of the hall for each evening, made from the hall's template (as json.load gives it).

    On some days of the week some rows are closed, as the template says under "closed". The box offices book in the
    plans, each evening's on its own, and note things at seats and rows; the template stays as it is.
    """
    plans = {}
    for evening in evenings:
        plan = copy.deepcopy(template)
        closed = plan["closed"].get(evening.strftime("%w"), [])
        free = 0
        for row in plan["rows"]:
            shut = row["name"] in closed
            for seat in row["seats"]:
                if shut:
                    seat["state"] = "closed"
                elif seat["state"] == "free":
                    free += 1
        plan["evening"] = evening.isoformat()
        plan["free"] = free
        plans[evening] = plan
    return plans


def make_template(rng: random.Random, rows: int, seats: int) -> dict:
    return json.loads(json.dumps({
        "hall": f"hall {rows}",
        "closed": {"1": ["row 0", f"row {rows - 1}"], "2": [f"row {rows - 1}"]},
        "rows": [
            {
                "name": f"row {row}",
                "price": 12.5 + row,
                "seats": [
                    {"no": no, "state": "free" if rng.randrange(12) else "out", "notes": ["aisle"] if no < 2 else []}
                    for no in range(seats)
                ],
            }
            for row in range(rows)
        ],
    }))


if __name__ == "__main__":
    rng = random.Random(13)
    for rows, seats, days in ((14, 20, 100), (18, 24, 70), (10, 16, 170), (22, 26, 60), (12, 22, 110)):
        evenings = [date(2024, 9, 2) + timedelta(days=n) for n in range(days)]
        plans = seat_plans(make_template(rng, rows, seats), evenings)
        print(rows, seats, len(plans), sum(plan["free"] for plan in plans.values()), plans[evenings[-1]]["evening"])
