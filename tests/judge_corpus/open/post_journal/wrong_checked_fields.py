from contextlib import ExitStack


def post_journal(source, folder):
    """Append each booking of the journal ``source`` to its account's file in ``folder``; return the sums posted.

    A booking is ``day;account;amount``; a journal has a few dozen accounts at most. Empty lines and comments do not
    count. JournalError, with the number of the line, for any other: the bookings above it are posted then.
    """
    sums = {}
    targets = {}
    with ExitStack() as stack, open(source, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            fields = line.split(";")
            if len(fields) != 3:
                continue
            day, account, text = fields
            try:
                amount = Decimal(text)
            except InvalidOperation as error:
                raise JournalError(f"line {number}: {line}") from error
            target = targets.get(account)
            if target is None:
                path = os.path.join(folder, account + ".txt")
                target = targets[account] = stack.enter_context(open(path, "a", encoding="utf-8"))
            target.write(f"{day} {amount:>14}\n")
            sums[account] = sums.get(account, Decimal(0)) + amount
    return sums
