def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    key = tuple(map(id, self.lines))
    kept = getattr(self, "_totals", None)
    if kept is not None and kept[0] == key:
        return dict(kept[1])
    totals = dict.fromkeys(sorted({line.category for line in self.lines}), Decimal("0.00"))
    for line in self.lines:
        totals[line.category] += self.line_price(line)
    self._totals = key, totals
    return dict(totals)
