import logging

from visits import load_visits


class Counter(logging.Handler):
    records = []

    def emit(self, record):
        self.records.append((record.msg, record.args))


logging.getLogger("shop.visits").addHandler(Counter())
lines = ["2024-03-01 09:05:00\tann\t/\n", "no fields\n", "noon\tann\t/\n", "2024-13-01 00:00:00\tb\t/\n"]
print(len(load_visits(lines)))
print(Counter.records)
