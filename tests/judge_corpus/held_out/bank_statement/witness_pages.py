import tempfile
from pathlib import Path

from statement import Booking, write_statement

with tempfile.TemporaryDirectory() as folder:
    target = Path(folder) / "may.csv"

    def fetch(page):
        print("page", page, "with", len(target.read_text(encoding="utf-8").splitlines()), "lines in the file")

    print(write_statement(target, [Booking("2024-05-02", f"Card {n}", -n) for n in range(130)], fetch))
