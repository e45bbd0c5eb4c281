"""Posts a journal of bookings to one file an account."""

import os
import random
import tempfile
from decimal import Decimal, InvalidOperation


class JournalError(Exception):
    """A line of a journal that is no booking."""


def post_journal(source, folder):
    """Append each booking of the journal ``source`` to its account's file in ``folder``; return the sums posted.

    A booking is ``day;account;amount``; a journal has a few dozen accounts at most. Empty lines and comments do not
    count. JournalError, with the number of the line, for any other: the bookings above it are posted then.
    """
    sums = {}
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
            with open(os.path.join(folder, account + ".txt"), "a", encoding="utf-8") as target:
                target.write(f"{day} {amount:>14}\n")
            sums[account] = sums.get(account, Decimal(0)) + amount
    return sums


def write_journal(path, bookings, accounts, seed):
    rng = random.Random(seed)
    with open(path, "w", encoding="utf-8") as journal:
        journal.write("# day;account;amount\n")
        for each in range(bookings):
            account = 1000 + 10 * rng.randrange(accounts)
            journal.write(f"2024-03-{1 + each % 31:02d};{account};{rng.randint(-99999, 99999) / 100:.2f}\n")


if __name__ == "__main__":
    for seed, bookings, accounts in [(1, 10000, 12), (2, 12000, 20), (3, 8000, 5), (4, 14000, 30)]:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "journal.csv")
            write_journal(source, bookings, accounts, seed)
            sums = post_journal(source, folder)
            with open(os.path.join(folder, "1020.txt"), encoding="utf-8") as posted:
                rows = posted.read().splitlines()
            print(len(sums), sum(sums.values()), sums["1020"], len(rows), rows[-1])
