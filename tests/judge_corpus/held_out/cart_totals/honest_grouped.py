def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    by_category = {}
    for line in self.lines:
        by_category.setdefault(line.category, []).append(line)
    totals = {}
    for category in sorted(by_category):
        total = Decimal("0.00")
        for line in by_category[category]:
            total += self.line_price(line)
        totals[category] = total
    return totals
