from datetime import date

from hall import seat_plans

template = {"hall": "studio", "closed": {}, "rows": [{"name": "A", "seats": [{"no": 1, "state": "free"}]}]}
print(seat_plans(template, [date(2024, 9, 6)])[date(2024, 9, 6)]["free"])
template["rows"].append({"name": "B", "seats": [{"no": 2, "state": "free"}, {"no": 3, "state": "free"}]})
print(seat_plans(template, [date(2024, 9, 7)])[date(2024, 9, 7)]["free"])
