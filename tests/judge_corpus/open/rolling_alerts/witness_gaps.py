from vibration import Reading, rolling_alerts

levels = [3.0, float("nan"), 1.0, 2.0, 9.0, 1.5, float("nan"), 0.5, 4.0, 1.0, 2.5]
for width in (2, 3, 4):
    print(rolling_alerts([Reading("saw", minute, level) for minute, level in enumerate(levels)], width, 1.2))
