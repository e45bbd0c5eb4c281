import warnings

from shifts import paid_hours

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    paid_hours([(worker, "2024-03-04 06:00", "2024-03-04 20:00") for worker in ("ada", "bob")], "Europe/Berlin")
print([str(each.message) for each in caught])
