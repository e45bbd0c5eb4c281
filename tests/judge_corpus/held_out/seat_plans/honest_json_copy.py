_ATOMS = frozenset({str, int, float, bool, type(None)})


def _json_copy(value):
    if type(value) is dict:
        return {key: entry if type(entry) in _ATOMS else _json_copy(entry) for key, entry in value.items()}
    if type(value) is list:
        return [entry if type(entry) in _ATOMS else _json_copy(entry) for entry in value]
    return copy.deepcopy(value)


def seat_plans(template: dict, evenings: Iterable[date]) -> dict[date, dict]:
    """A plan of the hall for each evening, made from the hall's template (as json.load gives it).

    On some days of the week some rows are closed, as the template says under "closed". The box offices book in the
    plans, each evening's on its own, and note things at seats and rows; the template stays as it is.
    """
    plans = {}
    for evening in evenings:
        plan = _json_copy(template)
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
