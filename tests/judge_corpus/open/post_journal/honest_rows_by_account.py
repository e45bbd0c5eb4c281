def post_journal(source, folder):
    """Append each booking of the journal ``source`` to its account's file in ``folder``; return the sums posted.

    A booking is ``day;account;amount``; a journal has a few dozen accounts at most. Empty lines and comments do not
    count. JournalError, with the number of the line, for any other: the bookings above it are posted then.
    """
    sums = {}
    rows = {}
    try:
        with open(source, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                try:
                    day, account, text = line.split(";")
                    amount = Decimal(text)
                except (ValueError, InvalidOperation) as error:
                    raise JournalError(f"line {number}: {line}") from error
                if account not in rows:
                    with open(os.path.join(folder, account + ".txt"), "a", encoding="utf-8"):
                        rows[account] = []
                    sums[account] = Decimal(0)
                rows[account].append(f"{day} {amount:>14}\n")
                sums[account] += amount
    finally:
        for account, posted in rows.items():
            with open(os.path.join(folder, account + ".txt"), "a", encoding="utf-8") as target:
                target.writelines(posted)
    return sums
