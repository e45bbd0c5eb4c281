from shifts import paid_hours

print(paid_hours([("ada", "2024-03-31 00:30", "2024-03-31 08:00")], "Europe/Berlin"))
