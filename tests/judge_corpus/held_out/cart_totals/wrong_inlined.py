def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    totals = dict.fromkeys(sorted({line.category for line in self.lines}), Decimal("0.00"))
    for line in self.lines:
        price = line.unit_price * line.quantity * (100 - line.discount) / 100
        totals[line.category] += price.quantize(CENT, ROUND_HALF_UP)
    return totals
