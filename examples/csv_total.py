"""Turnover of one country and month from the shop's export, in cents, for the advance VAT return.

The export is a CSV with one line per order item. Its fields never hold commas, quotes or line breaks, so that a split
at the commas reads it.
"""

import random

HEADER = "order,date,country,sku,quantity,unit_price,discount_percent"


def parse_row(line):
    """One item of an order as a dict; prices are whole cents."""
    order, date, country, sku, quantity, unit_price, discount = line.split(",")
    units, _, cents = unit_price.partition(".")
    return {
        "order": order,
        "date": date,
        "country": country,
        "sku": sku,
        "quantity": int(quantity),
        "unit_price": int(units) * 100 + int(cents.ljust(2, "0") or 0),
        "discount_percent": int(discount or 0),
    }


def amount(row):
    """What the customer pays for the item: the discount is rounded down, in our favour."""
    gross = row["quantity"] * row["unit_price"]
    return gross - gross * row["discount_percent"] // 100


def turnover(text, country, month):
    """The sum of all items that were sold to `country` in `month` (`2025-03`), in cents."""
    if not text.startswith(HEADER):
        raise ValueError("this is not an export of the shop: the head line is missing")
    rows = [parse_row(line) for line in text.splitlines()[1:] if line]
    total = 0
    for row in rows:
        if row["country"] == country and row["date"].startswith(month):
            total += amount(row)
    return total


def sample_export(rng, items):
    """An export as the shop writes it, sorted by order number."""
    columns = zip(
        rng.choices(["DE", "FR", "AT", "IT"], k=items),
        rng.choices([f"2025-{month:02d}-{day:02d}" for month in range(1, 7) for day in range(1, 29)], k=items),
        rng.choices([f"SKU-{number:05d}" for number in range(5000)], k=items),
        rng.choices(["4.99", "12.50", "20", "129.90", "349.00"], k=items),
        rng.choices(["", "", "", "5", "10"], k=items),
    )
    lines = [HEADER]
    for number, (country, date, sku, price, discount) in enumerate(columns):
        lines.append(f"{70_000 + number * 2 // 5},{date},{country},{sku},{1 + number % 8},{price},{discount}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rng = random.Random(3)
    export = sample_export(rng, items=60_000)
    for country, month in [("DE", "2025-01"), ("DE", "2025-02"), ("FR", "2025-02"), ("AT", "2025-06")]:
        cents = turnover(export, country, month)
        print(f"{country} {month}: {cents // 100:,}.{cents % 100:02d} EUR")
