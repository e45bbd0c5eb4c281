from bisect import bisect_right

# Tables are loaded once a year and shared by all runs, so each is prepared only once.
_PREPARED: dict[tuple[int, int], tuple[list[int], list[tuple[int, int, int, str]]]] = {}


def _prepare(brackets: Sequence[Bracket]) -> tuple[list[int], list[tuple[int, int, int, str]]]:
    key = (id(brackets), len(brackets))
    prepared = _PREPARED.get(key)
    if prepared is None:
        rows = []
        base = 0
        for position, bracket in enumerate(brackets):
            if position:
                previous = brackets[position - 1]
                base += (bracket.floor - previous.floor) * previous.rate
            rows.append((base, bracket.floor, bracket.rate, bracket.code))
        prepared = _PREPARED[key] = ([bracket.floor for bracket in brackets], rows)
    return prepared


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    floors, rows = _prepare(brackets)
    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        base, floor, rate, code = rows[bisect_right(floors, taxable) - 1]
        withheld.append((slip.employee, code, (base + (taxable - floor) * rate + 5_000) // 10_000))
    return withheld
