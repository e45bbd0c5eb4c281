"""Writes account statements for the print room."""

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE_LINES = 40


class StatementError(Exception):
    pass


@dataclass(frozen=True)
class Booking:
    day: str
    text: str
    cents: int


def write_statement(path: Path, bookings: Sequence[Booking], on_page: Callable[[int], None] | None = None) -> int:
    """Write a line with the running balance for each booking; return the closing balance in cents.

    on_page(number) is called when a page is full, for the print room to fetch it from the file at once.
    A booking without text stops the statement; what comes before it stays in the file, to be looked at.
    """
    balance = 0
    with path.open("w", encoding="utf-8") as out:
        out.write("day;text;amount;balance\n")
        for number, booking in enumerate(bookings, 1):
            balance = sum(entry.cents for entry in bookings[:number])
            text = booking.text.strip()
            if not text:
                raise StatementError(f"booking {number} of {booking.day} has no text")
            out.write(f"{booking.day};{text};{booking.cents};{balance}\n")
            out.flush()
            if number % PAGE_LINES == 0 and on_page is not None:
                on_page(number // PAGE_LINES)
    return balance


def make_bookings(rng: random.Random, count: int) -> list[Booking]:
    texts = ("Rent", "Salary", "Bäckerei Stolz ", "Card 4411", "Refund")
    days = [f"2024-{1 + n * 12 // count:02}-{rng.randrange(1, 29):02}" for n in range(count)]
    return [Booking(day, rng.choice(texts), rng.randrange(-90000, 95000)) for day in days]


if __name__ == "__main__":
    rng = random.Random(21)
    with tempfile.TemporaryDirectory() as folder:
        for count in (2400, 2800, 2100, 3001, 2040):
            pages: list[int] = []
            target = Path(folder) / f"statement{count}.csv"
            closing = write_statement(target, make_bookings(rng, count), pages.append)
            lines = target.read_text(encoding="utf-8").splitlines()
            print(count, closing, len(pages), len(lines), lines[-1])
