from bisect import bisect_right


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    floors = []
    rows = []
    base = 0
    for position, bracket in enumerate(brackets):
        if position:
            base += (bracket.floor - floors[-1]) * brackets[position - 1].rate
        floors.append(bracket.floor)
        rows.append((base, bracket))

    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        base, bracket = rows[bisect_right(floors, taxable) - 1]
        tax = round((base + (taxable - bracket.floor) * bracket.rate) / 10_000)
        withheld.append((slip.employee, bracket.code, tax))
    return withheld
