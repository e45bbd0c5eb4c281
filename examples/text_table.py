"""Tables for plain-text mails: columns as wide as their widest cell, numbers to the right, a rule under the head."""

from __future__ import annotations

import random


def cell_text(value: object) -> str:
    """A value as it stands in a cell: nothing for None, two decimals for fractions, thousands grouped."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("\n", " ")


def column_widths(header: list[str], rows: list[list[str]]) -> list[int]:
    """How wide each column must be."""
    widths = [len(title) for title in header]
    for row in rows:
        for index, cell in enumerate(row):
            widths[index] = max(widths[index], len(cell))
    return widths


def numeric_columns(records: list[dict], header: list[str]) -> list[bool]:
    """Which columns hold numbers only, and therefore stand to the right."""
    return [all(isinstance(record.get(title), (int, float, type(None))) for record in records) for title in header]


def format_rows(rows: list[list[str]], widths: list[int], right: list[bool]) -> str:
    """The body of the table, one line a row."""
    body = ""
    for row in rows:
        line = "|"
        for cell, width, to_the_right in zip(row, widths, right):
            line += " " + (cell.rjust(width) if to_the_right else cell.ljust(width)) + " |"
        body = body + line + "\n"
    return body


def table(records: list[dict]) -> str:
    """The whole table; columns are in the order in which the records first name them."""
    header: list[str] = []
    for record in records:
        header += [title for title in record if title not in header]
    rows = [[cell_text(record.get(title)) for title in header] for record in records]
    widths = column_widths(header, rows)
    right = numeric_columns(records, header)
    head = format_rows([header], widths, right)
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    return rule + head + rule + format_rows(rows, widths, right) + rule


ARTICLES = ["hex bolt", "washer", "wall plug", "wood screw", "cable tie", "hinge", "bracket", "anchor rod"]


def stock_records(rng: random.Random, count: int) -> list[dict]:
    """What the warehouse has on its shelves."""
    records = []
    for number in range(count):
        records.append(
            {
                "article": f"{rng.choice(ARTICLES)} M{rng.randrange(3, 20)}",
                "shelf": f"{rng.choice('ABCDEF')}-{rng.randrange(400):03d}",
                "pieces": rng.randrange(20_000),
                "price": round(rng.uniform(0.02, 9.0), 2),
                "ordered": rng.random() < 0.2,
                "supplier": rng.choice(["Adler & Sons", "Westbridge Fasteners Ltd", "Nordholm", None]),
                "remark": "last counted by hand, please check again" if number % 50 == 0 else "",
            }
        )
    return records


if __name__ == "__main__":
    rng = random.Random(11)
    for warehouse, size in [("Lyon", 3500), ("Graz", 5000), ("Turku", 6000)]:
        text = table(stock_records(rng, size))
        lines = text.splitlines()
        print(f"{warehouse}: {len(lines)} lines of {len(lines[0])} characters")
        print("\n".join(lines[:5]))
