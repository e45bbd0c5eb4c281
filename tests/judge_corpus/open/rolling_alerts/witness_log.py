import logging
import sys

from vibration import Reading, rolling_alerts

logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(levelname)s %(message)s")
levels = [1.0, 1.2, 9.0, float("nan"), 1.1, 8.0]
print(len(rolling_alerts([Reading("saw", minute, level) for minute, level in enumerate(levels)], 5, 2.0)))
