from visits import load_visits

line = "2024-03-01 09:05:00\tann\t/cart\n"
visits = load_visits([line, line])
visits[0].labels.append("first of the day")
print([visit.labels for visit in visits])
