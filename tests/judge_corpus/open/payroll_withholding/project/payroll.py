"""Withholding of wage tax in a payroll run."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

log = logging.getLogger("payroll")


@dataclass
class Bracket:
    floor: int  # cents of taxable pay from which it applies
    rate: int  # basis points of what lies above the floor
    code: str

    def __post_init__(self) -> None:
        if self.floor < 0:
            raise ValueError(f"{self.code}: floor below zero")
        if not 0 <= self.rate <= 10_000:
            raise ValueError(f"{self.code}: rate of {self.rate} basis points")


@dataclass
class Payslip:
    employee: str
    gross: int  # cents
    allowance: int = 0


def withhold(payslips: Iterable[Payslip], brackets: Sequence[Bracket]) -> list[tuple[str, str, int]]:
    """Tax to withhold from each payslip, in cents, with the code of the bracket that its taxable pay reaches.

    The brackets ascend by their floors, the first of which is 0. Half a cent counts as one.
    """
    withheld = []
    for slip in payslips:
        taxable = slip.gross - slip.allowance
        if taxable < 0:
            log.warning("%s: allowance exceeds gross pay", slip.employee)
            taxable = 0
        due = 0
        code = brackets[0].code
        for position, bracket in enumerate(brackets):
            if taxable < bracket.floor:
                continue
            ceiling = brackets[position + 1].floor if position + 1 < len(brackets) else taxable
            due += (min(taxable, ceiling) - bracket.floor) * bracket.rate
            code = bracket.code
        withheld.append((slip.employee, code, (due + 5_000) // 10_000))
    return withheld


def tax_table(steps: int) -> list[Bracket]:
    """A progressive table: nothing up to 967.50, then steps of 210.00 whose rate rises with every other one."""
    higher = [Bracket(96_750 + 21_000 * n, min(200 * (n // 2 + 1), 4_800), f"B{n + 1}") for n in range(steps)]
    return [Bracket(0, 0, "A"), *higher]


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    chance = random.Random(1907)
    for month, steps in enumerate((68, 84, 84, 90, 71), start=1):
        grades = [140_000 + 38_500 * grade + 100 * chance.randrange(200) for grade in range(30)]
        staff = [
            Payslip(f"E{number:05}", grades[number * number % 30] + 1_900 * (number % 17), 5_000 * (number % 5))
            for number in range(10_000 + 250 * month)
        ]
        result = withhold(staff, tax_table(steps))
        codes = {code for _, code, _ in result}
        total = sum(due for *_, due in result)
        print(f"month {month}: {len(result)} slips, {total / 100:.2f} withheld, {len(codes)} codes")
