import io
import logging

from alerts import low_stock

told = io.StringIO()
logging.basicConfig(stream=told, level=logging.INFO)
low_stock([("nothing", 1)], {"A": 3}, [])
print(told.getvalue())
