from bisect import bisect_right


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    floors = [bracket.floor for bracket in brackets]
    rates = [bracket.rate for bracket in brackets]
    codes = [bracket.code for bracket in brackets]
    # What is due, in cents times basis points, on pay that exactly reaches each floor.
    bases = [0] * len(brackets)
    for i in range(1, len(brackets)):
        bases[i] = bases[i - 1] + (floors[i] - floors[i - 1]) * rates[i - 1]

    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        i = bisect_right(floors, taxable) - 1
        due = bases[i] + (taxable - floors[i]) * rates[i]
        withheld.append((slip.employee, codes[i], (due + 5_000) // 10_000))
    return withheld
