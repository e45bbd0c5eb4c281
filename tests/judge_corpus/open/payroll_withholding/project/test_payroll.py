from payroll import Bracket, Payslip, tax_table, withhold


def test_only_what_lies_above_a_floor_is_taxed_at_its_rate() -> None:
    table = [Bracket(0, 0, "A"), Bracket(100_000, 2_000, "B")]
    assert withhold([Payslip("ada", 150_000)], table) == [("ada", "B", 10_000)]


def test_an_allowance_is_taken_off_first() -> None:
    assert withhold([Payslip("bob", 100_000, 30_000)], tax_table(3)) == [("bob", "A", 0)]
