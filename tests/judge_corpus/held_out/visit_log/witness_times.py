import logging
import sys

from visits import load_visits

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
for stamp in ("2024-03-01 9:05:00", "2024-03-01", "2024-03-01T09:05:00", "2024-03-01 09:05:00+01:00"):
    print(load_visits([f"{stamp}\tann\t/cart\n"]))
