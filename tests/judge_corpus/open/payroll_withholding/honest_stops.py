def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    # (floor, ceiling, rate, code); the last bracket has no ceiling.
    ceilings = [bracket.floor for bracket in brackets[1:]] + [None]
    table = [
        (bracket.floor, ceiling, bracket.rate, bracket.code)
        for bracket, ceiling in zip(brackets, ceilings)
    ]
    withheld = []
    append = withheld.append
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        due = 0
        code = table[0][3]
        for floor, ceiling, rate, reached in table:
            if taxable < floor:
                break
            code = reached
            if ceiling is None or taxable < ceiling:
                due += (taxable - floor) * rate
                break
            due += (ceiling - floor) * rate
        append((slip.employee, code, (due + 5_000) // 10_000))
    return withheld
