import random

import pytest
from csv_total import HEADER, amount, parse_row, sample_export, turnover

EXPORT = f"""{HEADER}
1,2025-03-01,DE,SKU-1,2,10.50,
1,2025-03-01,DE,SKU-2,3,0.99,10
2,2025-03-31,FR,SKU-1,1,10.50,

3,2025-04-01,DE,SKU-1,1,7,
"""


def test_parse_row_reads_cents():
    row = parse_row("1,2025-03-01,DE,SKU-1,2,10.5,")
    assert (row["unit_price"], row["quantity"], row["discount_percent"]) == (1050, 2, 0)
    assert parse_row("1,2025-03-01,DE,SKU-1,2,10,5")["unit_price"] == 1000


def test_the_discount_is_rounded_down():
    assert amount({"quantity": 3, "unit_price": 99, "discount_percent": 10}) == 297 - 29


@pytest.mark.parametrize(
    ("country", "month", "cents"),
    [("DE", "2025-03", 2368), ("FR", "2025-03", 1050), ("DE", "2025-04", 700), ("IT", "2025-03", 0)],
)
def test_turnover(country, month, cents):
    assert turnover(EXPORT, country, month) == cents


def test_another_file_is_refused():
    with pytest.raises(ValueError, match="head line is missing"):
        turnover("order;date\n", "DE", "2025-03")


def test_a_broken_line_is_refused_even_if_it_is_of_another_country():
    with pytest.raises(ValueError):
        turnover(EXPORT + "4,2025-03-01,FR,SKU-1,many,1.00,\n", "DE", "2025-03")


def test_countries_and_months_add_up():
    export = sample_export(random.Random(1), 500)
    parts = [turnover(export, country, "2025") for country in ("DE", "FR", "AT", "IT")]
    assert all(parts)
    assert sum(parts) == sum(amount(parse_row(line)) for line in export.splitlines()[1:])
