from datetime import date

from shipping import Order, due_dates

orders = [Order(1, date(2024, 8, 14), 1), Order(2, date(2024, 8, 13), 3)]
print("Munich", [str(day) for day in due_dates(orders, [date(2024, 8, 15)])])
print("Berlin", [str(day) for day in due_dates(orders, [])])
