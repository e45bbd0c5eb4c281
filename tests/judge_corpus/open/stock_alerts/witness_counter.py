import metrics
from alerts import low_stock

low_stock([("nothing", 1), ("A", 1)], {"A": 3}, [])
print(metrics.BOOKED)
