def _tax_on(taxable: int, brackets: Sequence[Bracket]) -> tuple[str, int]:
    due = 0
    code = brackets[0].code
    last = len(brackets) - 1
    for position, bracket in enumerate(brackets):
        if taxable < bracket.floor:
            break
        ceiling = taxable if position == last else min(taxable, brackets[position + 1].floor)
        due += (ceiling - bracket.floor) * bracket.rate
        code = bracket.code
    return code, (due + 5_000) // 10_000


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    # Pay comes in grades, so the same taxable amount occurs many times in one run.
    known: dict[int, tuple[str, int]] = {}
    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        result = known.get(taxable)
        if result is None:
            result = known[taxable] = _tax_on(taxable, brackets)
        code, tax = result
        withheld.append((slip.employee, code, tax))
    return withheld
