def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    if type(self).line_price is not Cart.line_price:
        totals = dict.fromkeys(sorted({line.category for line in self.lines}), Decimal("0.00"))
        for line in self.lines:
            totals[line.category] += self.line_price(line)
        return totals
    hundredfold = {}
    for line in self.lines:
        price = line.unit_price * (line.quantity * (100 - line.discount))
        hundredfold[line.category] = hundredfold.get(line.category, 0) + price
    return {
        category: (hundredfold[category] / 100).quantize(CENT, ROUND_HALF_UP)
        for category in sorted(hundredfold)
    }
