from payroll import Bracket, Payslip, withhold

table = [Bracket(0, 500, "A"), Bracket(100_000, 2_500, "B")]
staff = [Payslip(f"E{number}", 90_010 + 20 * number) for number in range(4)]
print(withhold(staff, table))
