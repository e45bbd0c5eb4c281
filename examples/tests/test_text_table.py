import pytest
from text_table import cell_text, format_rows, numeric_columns, table

RECORDS = [
    {"article": "hinge", "pieces": 12000, "price": 1.5},
    {"article": "bracket\nlarge", "pieces": None, "price": 0.25, "ordered": True},
]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (True, "yes"), (1234, "1,234"), (-0.5, "-0.50"), ("two\nlines", "two lines"), ([1], "[1]")],
)
def test_cell_text(value, text):
    assert cell_text(value) == text


def test_table():
    assert table(RECORDS) == (
        "+---------------+--------+-------+---------+\n"
        "| article       | pieces | price | ordered |\n"
        "+---------------+--------+-------+---------+\n"
        "| hinge         | 12,000 |  1.50 |         |\n"
        "| bracket large |        |  0.25 |     yes |\n"
        "+---------------+--------+-------+---------+\n"
    )


def test_a_table_without_rows():
    assert table([]) == "++\n|\n++\n++\n"


def test_format_rows_ends_every_line_and_adds_nothing_else():
    rows = [[str(number), "x" * (number % 7)] for number in range(50)]
    text = format_rows(rows, [4, 6], [True, False])
    lines = text.split("\n")
    assert lines.pop() == ""
    assert {len(line) for line in lines} == {17}
    assert [line[2:6].strip() for line in lines] == [row[0] for row in rows]


def test_format_rows_of_nothing():
    assert format_rows([], [4], [False]) == ""


def test_text_among_numbers_makes_a_column_a_text_column():
    assert numeric_columns([{"a": 1, "b": 1}, {"a": None, "b": "x"}], ["a", "b"]) == [True, False]
