import tempfile
from pathlib import Path

from statement import Booking, StatementError, write_statement

with tempfile.TemporaryDirectory() as folder:
    target = Path(folder) / "may.csv"
    try:
        write_statement(target, [Booking("2024-05-02", "Rent", -80000), Booking("2024-05-03", "  ", 100)])
    except StatementError as stopped:
        print(stopped)
    print(target.read_text(encoding="utf-8") if target.exists() else "no file")
