"""The setting `assume` holds for a workspace; of one function counts what names its parameters."""

from __future__ import annotations

from afterburner.lsp_server.stated_settings import stated_of

SOURCE = """\
import functools

def top(words, limit): ...

class Table:
    @functools.cache
    def widths(self, *rows, sep=", "):
        return \'\'\'
at the margin\'\'\'
"""
STATED = {"assume": ["limit > 0", "all(rows) and limit", "len(sep) == 1", "limit >"], "max_seconds": 5}


def test_what_is_stated_of_another_functions_parameters_is_left_out_and_told() -> None:
    kept, told = stated_of(STATED, SOURCE, "Table.widths")
    assert kept == {"assume": ["all(rows) and limit", "len(sep) == 1", "limit >"], "max_seconds": 5}
    assert told == "Left out: `limit > 0` of the setting afterburner.assume, for Table.widths has no such parameter."
    kept, told = stated_of(STATED, SOURCE, "top")
    assert kept["assume"] == ["limit > 0", "all(rows) and limit", "limit >"]
    assert "`len(sep) == 1`" in told


def test_all_counts_where_nothing_is_known_of_the_function_or_everything_is_of_it() -> None:
    assert stated_of(STATED, SOURCE, None) == (STATED, "")
    assert stated_of(STATED, SOURCE, "missing") == (STATED, "")
    own = {"assume": ["words", "limit > 0", "1 > 2"]}
    assert stated_of(own, SOURCE, "top") == (own, ""), "what names nothing is told when it is checked"
    assert stated_of({"objective": "time"}, SOURCE, "top") == ({"objective": "time"}, "")
