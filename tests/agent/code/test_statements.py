"""Where the statements of a function stand."""

from __future__ import annotations

from afterburner.agent.code.statements import statement_lines

SOURCE = '''\
def other():
    return 1


@cached
def f(items):
    """Say something."""
    global seen
    total: int
    for item in (
        items
    ):
        if item:
            continue
        total = sum(
            item,
        )
    else:
        pass
    with a, b:
        match total:
            case 1:
                return 1
            case _:
                @wrapped
                def inner():
                    return 2
    try:
        x = 1
    except ValueError:
        raise
    return total
'''


def test_each_statement_that_leaves_a_trace_has_its_lines() -> None:
    assert statement_lines(SOURCE, 5, 33) == [
        (10, 12),
        (13, 13),
        (15, 17),
        (20, 20),
        (21, 21),
        (23, 23),
        (25, 26),
        (27, 27),
        (28, 28),
        (29, 29),
        (31, 31),
        (32, 32),
    ]


def test_of_two_functions_only_the_one_on_these_lines_counts() -> None:
    assert statement_lines(SOURCE, 1, 2) == [(2, 2)]
    assert statement_lines(SOURCE, 3, 4) == []
