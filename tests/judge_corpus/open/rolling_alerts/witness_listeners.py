from vibration import Reading, rolling_alerts

levels = [1.0, 1.2, 9.0, 1.1, 1.0, 8.0]
readings = [Reading("saw", minute, level) for minute, level in enumerate(levels)]
rolling_alerts(
    readings,
    5,
    2.0,
    [lambda alert: print("page", alert["minute"]), lambda alert: print("show", alert["minute"])],
)
