from datetime import date

from shipping import Order, due_dates

saturday, monday = date(2024, 6, 8), date(2024, 6, 10)
print([str(day) for day in due_dates([Order(1, monday, 2), Order(2, saturday, 0), Order(3, date(2024, 6, 16), 0)], [])])
