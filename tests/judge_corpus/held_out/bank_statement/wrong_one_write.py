def write_statement(path: Path, bookings: Sequence[Booking], on_page: Callable[[int], None] | None = None) -> int:
    """Write a line with the running balance for each booking; return the closing balance in cents.

    on_page(number) is called when a page is full, for the print room to fetch it from the file at once.
    A booking without text stops the statement; what comes before it stays in the file, to be looked at.
    """
    balance = 0
    lines = ["day;text;amount;balance\n"]
    for number, booking in enumerate(bookings, 1):
        balance += booking.cents
        text = booking.text.strip()
        if not text:
            raise StatementError(f"booking {number} of {booking.day} has no text")
        lines.append(f"{booking.day};{text};{booking.cents};{balance}\n")
    with path.open("w", encoding="utf-8") as out:
        out.writelines(lines)
    if on_page is not None:
        for page in range(1, len(bookings) // PAGE_LINES + 1):
            on_page(page)
    return balance
