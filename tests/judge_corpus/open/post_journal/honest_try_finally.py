def post_journal(source, folder):
    """Append each booking of the journal ``source`` to its account's file in ``folder``; return the sums posted.

    A booking is ``day;account;amount``; a journal has a few dozen accounts at most. Empty lines and comments do not
    count. JournalError, with the number of the line, for any other: the bookings above it are posted then.
    """
    entries = {}
    try:
        with open(source, encoding="utf-8") as lines:
            for number, raw in enumerate(lines, 1):
                line = raw.strip()
                if not line or line[0] == "#":
                    continue
                try:
                    day, account, text = line.split(";")
                    amount = Decimal(text)
                except (ValueError, InvalidOperation) as error:
                    raise JournalError(f"line {number}: {line}") from error
                entry = entries.get(account)
                if entry is None:
                    target = open(os.path.join(folder, account + ".txt"), "a", encoding="utf-8")
                    entry = entries[account] = [target, Decimal(0)]
                entry[0].write(f"{day} {amount:>14}\n")
                entry[1] += amount
    finally:
        for target, _ in entries.values():
            target.close()
    return {account: total for account, (_, total) in entries.items()}
