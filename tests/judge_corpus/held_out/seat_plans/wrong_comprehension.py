def seat_plans(template: dict, evenings: Iterable[date]) -> dict[date, dict]:
    """A plan of the hall for each evening, made from the hall's template (as json.load gives it).

    On some days of the week some rows are closed, as the template says under "closed". The box offices book in the
    plans, each evening's on its own, and note things at seats and rows; the template stays as it is.
    """
    plans = {}
    for evening in evenings:
        plan = {
            **template,
            "closed": dict(template["closed"]),
            "rows": [{**row, "seats": [dict(seat) for seat in row["seats"]]} for row in template["rows"]],
        }
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
