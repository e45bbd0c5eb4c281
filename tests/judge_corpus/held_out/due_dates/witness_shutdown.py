from datetime import date, timedelta

from shipping import Order, due_dates

shutdown = [date(2024, 7, 22) + timedelta(days=n) for n in range(35)]
try:
    print([str(day) for day in due_dates([Order(1, date(2024, 7, 19), 3)], shutdown)])
except IndexError as failed:
    print("no due date:", failed)
