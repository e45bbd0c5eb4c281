from payroll import Payslip, tax_table, withhold

table = tax_table(6)
staff = [Payslip("ada", 212_000), Payslip("bob", 330_000)]
print(withhold(staff, table))
for bracket in table[1:]:
    bracket.rate += 150  # the new year's rates
print(withhold(staff, table))
