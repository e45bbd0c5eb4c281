from itertools import accumulate


def write_statement(path: Path, bookings: Sequence[Booking], on_page: Callable[[int], None] | None = None) -> int:
    """Write a line with the running balance for each booking; return the closing balance in cents.

    on_page(number) is called when a page is full, for the print room to fetch it from the file at once.
    A booking without text stops the statement; what comes before it stays in the file, to be looked at.
    """
    balance = 0
    with path.open("w", encoding="utf-8") as out:
        write = out.write
        write("day;text;amount;balance\n")
        balances = accumulate(booking.cents for booking in bookings)
        for number, (booking, balance) in enumerate(zip(bookings, balances), 1):
            text = booking.text.strip()
            if not text:
                raise StatementError(f"booking {number} of {booking.day} has no text")
            write(f"{booking.day};{text};{booking.cents};{balance}\n")
            if number % PAGE_LINES == 0 and on_page is not None:
                out.flush()
                on_page(number // PAGE_LINES)
    return balance
