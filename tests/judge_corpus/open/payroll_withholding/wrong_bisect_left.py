from bisect import bisect_left
from itertools import accumulate


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    floors = [bracket.floor for bracket in brackets]
    widths = [upper - lower for lower, upper in zip(floors, floors[1:])]
    bases = list(accumulate((width * bracket.rate for width, bracket in zip(widths, brackets)), initial=0))

    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        position = max(bisect_left(floors, taxable) - 1, 0)
        bracket = brackets[position]
        due = bases[position] + (taxable - bracket.floor) * bracket.rate
        withheld.append((slip.employee, bracket.code, (due + 5_000) // 10_000))
    return withheld
