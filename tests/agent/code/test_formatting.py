"""The project's formatter lays out the lines that changed; all others stay byte for byte."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from afterburner.agent.code.project_formatting import Style, find_style, format_changed
from afterburner.agent.code.source_text import same_code, split_lines

OLD = "a  =  1\n\ndef f( x ):\n    y = [ ]   # why\n    return   y\n\nlast  =  'x'"
NEW = (
    "a  =  1\n\ndef f( x ):\n    y = [ ]   # why\n    z={'a':1,\n  'b' : \"2\"}; w   = 3\n"
    "    for i   in range( 10 ):\n        y.append( i,)\n    return   y\n\nlast  =  'x'"
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_new_lines_are_laid_out(end: str) -> None:
    old, new = OLD.replace("\n", end), NEW.replace("\n", end)
    got = format_changed(old, new, Style(quotes="single", magic_trailing_comma=False))
    wanted = OLD.replace(
        "    return",
        "    z = {'a': 1, 'b': '2'}\n    w = 3\n    for i in range(10):\n        y.append(i)\n    return",
    )
    assert got == wanted.replace("\n", end)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["a  = 1", "b= {1:2,3 : 4}", "if a :\n  c( )", "'''x\n  y''' ;d", "# e", "g ( 1,\n2 )", "é='ü'"]
        )
    ),
    # none that may be there before: which of two equal lines is the new one cannot be told
    st.lists(st.sampled_from(["k= {1:2,3 : 4}", "n   = 5", "if  a:\n    c( )\n    m(  )", "# o", "x = ( 1 )"])),
    st.integers(0, 10),
)
@example(before=["b= {1:2,3 : 4}"] * 3, added=["k= {1:2,3 : 4}"], place=1)
def test_whatever_changed_the_rest_stays(before: list[str], added: list[str], place: int) -> None:
    old = "".join(f"{each}\n" for each in before)
    new = "".join(f"{each}\n" for each in [*before[:place], *added, *before[place:]])
    got = format_changed(old, new, Style())
    assert same_code(got, new)
    start, end = (
        split_lines("".join(f"{each}\n" for each in before[:place])),
        split_lines("".join(f"{each}\n" for each in before[place:])),
    )
    lines = split_lines(got)
    assert lines[: len(start)] == start
    assert lines[len(lines) - len(end) :] == end


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, "a  =  ( \n"),  # not Python
        ("", "# fmt: off\nx  = 1\n"),
        ("f( 1,\n   2 )\n", "f( 1,\n   3 )\n"),  # a changed line inside a statement whose other lines stay
        ("x = 1\n", "x = 1\n"),
    ],
)
def test_what_cannot_be_laid_out_is_left_as_it_is(old: str, new: str) -> None:
    assert format_changed(old, new, Style()) == new
    assert format_changed(old, new, Style(line_length=0)) == new  # settings that the formatter refuses


RUFF = Style(100, 2, "single", "tab", magic_trailing_comma=False, python="py39")
TABLE = (
    "line-length = 100\nindent-width = 2\ntarget-version = 'py39'\nextend = '/etc/passwd'\n"
    "[{}format]\nquote-style = 'single'\nindent-style = 'tab'\nskip-magic-trailing-comma = true\n"
)


@pytest.mark.parametrize(
    ("files", "style"),
    [
        ({}, None),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, None),
        ({"pyproject.toml": "[tool.ruff]\n" + TABLE.format("tool.ruff.")}, RUFF),
        ({"ruff.toml": TABLE.format("")}, RUFF),
        ({".ruff.toml": "", "ruff.toml": "line-length = 99"}, Style()),
        ({"a/ruff.toml": "line-length = 99", "pyproject.toml": "[tool.ruff]"}, Style(99)),
        ({"a/pyproject.toml": "[tool.mypy]", "pyproject.toml": "[tool.ruff]\nline-length = 70"}, Style(70)),
        (
            {"pyproject.toml": "[tool.black]\nline-length = 79\nskip-string-normalization = true\n"},
            Style(79, quotes="preserve"),
        ),
        ({"pyproject.toml": "[tool.black]\nskip-magic-trailing-comma = true"}, Style(magic_trailing_comma=False)),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 'x\"; y'\n"}, Style()),
        ({"pyproject.toml": "[tool.ruff]\nline-length = true\nindent-width = -1\nformat = 1\n"}, Style()),
        ({"ruff.toml": "target-version = 'py3\"'\n[format]\nquote-style = 'x\"'\n"}, Style()),
        ({"pyproject.toml": "tool = 1"}, None),
        ({"pyproject.toml": "[["}, None),
    ],
)
def test_the_style_is_read_from_a_few_plain_settings(files: dict[str, str], style: Style | None) -> None:
    found = find_style(PurePosixPath("a/b/c.py"), lambda path: files.get(str(path)))
    assert found == style
