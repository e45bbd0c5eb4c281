from shifts import paid_hours

print(paid_hours([("ada", "2024-3-4 8:30", "2024-3-4 16:00")], "Europe/Berlin"))
