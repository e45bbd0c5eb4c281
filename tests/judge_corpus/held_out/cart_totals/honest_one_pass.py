def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    totals = dict.fromkeys(sorted({line.category for line in self.lines}), Decimal("0.00"))
    for line in self.lines:
        totals[line.category] += self.line_price(line)
    return totals
