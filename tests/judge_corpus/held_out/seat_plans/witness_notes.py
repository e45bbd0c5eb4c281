from datetime import date

from hall import seat_plans

seats = [{"no": 1, "state": "free", "notes": []}, {"no": 2, "state": "free", "notes": ["aisle"]}]
template = {"hall": "studio", "closed": {}, "rows": [{"name": "A", "seats": seats}]}
friday, saturday = date(2024, 9, 6), date(2024, 9, 7)
plans = seat_plans(template, [friday, saturday])
plans[friday]["rows"][0]["seats"][0]["notes"].append("wheelchair")
print("saturday:", plans[saturday]["rows"][0]["seats"][0], "template:", seats[0])
