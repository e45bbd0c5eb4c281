from payroll import Payslip, tax_table, withhold

table = tax_table(5)
print(withhold([Payslip("ada", bracket.floor) for bracket in table], table))
