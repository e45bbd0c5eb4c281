def write_statement(path: Path, bookings: Sequence[Booking], on_page: Callable[[int], None] | None = None) -> int:
    """Write a line with the running balance for each booking; return the closing balance in cents.

    on_page(number) is called when a page is full, for the print room to fetch it from the file at once.
    A booking without text stops the statement; what comes before it stays in the file, to be looked at.
    """
    texts = [booking.text.strip() for booking in bookings]
    if not all(texts):
        number = texts.index("") + 1
        raise StatementError(f"booking {number} of {bookings[number - 1].day} has no text")
    balance = 0
    with path.open("w", encoding="utf-8") as out:
        out.write("day;text;amount;balance\n")
        for number, (booking, text) in enumerate(zip(bookings, texts), 1):
            balance += booking.cents
            out.write(f"{booking.day};{text};{booking.cents};{balance}\n")
            if number % PAGE_LINES == 0:
                out.flush()
                if on_page is not None:
                    on_page(number // PAGE_LINES)
    return balance
