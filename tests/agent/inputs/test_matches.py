"""Matches of regular expressions, as what `re.sub` gives to a function, are arguments like others."""

from __future__ import annotations

import array
import re
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.inputs.inside.call_literals import LiteralWriter
from afterburner.agent.inputs.inside.call_parts import places, put, root_of, with_value
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError
from afterburner.sandbox.driver.call_blobs import NotCopyable, dump_call, load_call

if TYPE_CHECKING:
    from collections.abc import Iterator

SPAN = re.compile(r"(\d+)(?P<unit>[smh])?")
TEXT = "wait 3m then 15s or 7"


def _matches() -> Iterator[re.Match[Any]]:
    yield from SPAN.finditer(TEXT)
    for found in (
        re.match("a*?", "aab"),
        re.fullmatch("a*?", "aa"),
        re.search("(?<=x)a|$", "xa", re.IGNORECASE | re.MULTILINE),
        SPAN.match(TEXT, 13, 14),
        SPAN.search(TEXT, 7),
        re.search(rb"\w$", b"pear"),
        re.search("^$", ""),
        re.search("%[ds]", "100% of %d"),
    ):
        assert found is not None
        yield found


MATCHES = list(_matches())


def _content(match: re.Match[Any]) -> tuple[Any, ...]:
    return match.re, match.string, match.pos, match.endpos, match.regs, match.lastgroup, match.groupdict()


@pytest.mark.parametrize("match", MATCHES, ids=repr)
def test_a_copy_is_found_again_and_the_text_of_a_call_finds_it_too(match: re.Match[Any]) -> None:
    call = load_call(dump_call((match, [match]), {}, {}))
    assert _content(call.args[0]) == _content(match)
    assert call.args[0] is call.args[1][0], "one object stays one"
    written = LiteralWriter([match]).text(match)
    assert _content(eval(written)) == _content(match), written  # noqa: S307 - our own text


def test_what_no_search_finds_again_is_not_copied() -> None:
    searched = bytearray(b"pear")
    match = re.search(b"pear", searched)
    searched[:] = b"plum"
    with pytest.raises(NotCopyable, match=r"re\.Match"):
        dump_call((match,), {}, {})


def test_a_match_of_another_text_is_one_that_the_pattern_finds() -> None:
    third = MATCHES[2]
    root = root_of((third,), {})
    held = {place.key: place for place in places(root) if place.holder is third}
    assert {key: place.value for key, place in held.items()} == {"string": TEXT, "group": "7"}
    assert with_value(root, held["group"], "205h")[0][0].groups() == ("205", "h")
    assert with_value(root, held["group"], "205h")[0][0].string == "wait 3m then 15s or 205h"
    assert with_value(root, held["string"], "or 8")[0][0].span() == (3, 4)
    assert with_value(root, held["string"], "3m, 15s, 07 and 8")[0][0].group() == "07", "the third one again"
    assert with_value(root, held["group"], "seven") is root, "no match, no input"
    assert with_value(root, held["string"], "or eight") is root


@pytest.mark.parametrize(("text", "fits"), [("15m", True), ("15m ago", False), ("in 15m", False)])
def test_a_match_of_all_of_its_text_stays_one(text: str, fits: bool) -> None:
    match = SPAN.fullmatch("3m")
    if fits:
        assert put(match, "string", text).groups() == ("15", "m")
    else:
        with pytest.raises(NotBuildableError):
            put(match, "string", text)


@pytest.mark.parametrize("text", ["a" * 64 + "b a", "a" * 64])
def test_a_search_that_would_not_end_is_not_made_or_is_ended(text: str) -> None:
    """To find that the pattern does not match all of a text would take for ever."""
    for match in re.finditer("(a+)+", text):
        again = load_call(dump_call((match,), {}, {})).args[0]
        assert _content(again) == _content(match)
        written = LiteralWriter([match]).text(match)
        assert _content(eval(written)) == _content(match), written  # noqa: S307 - our own text
    match = re.search("(a+)+", text)
    assert match is not None
    assert put(match, "string", "aaa").group() == "aaa"
    if match.end() == len(text):
        with pytest.raises(NotBuildableError):
            put(match, "string", text + "b")


def test_of_many_matches_the_first_ones_are_copied() -> None:
    """Each is found again by a search from the start, so the time for all of them would grow without bounds."""
    found = list(re.finditer("[0-9]+", " ".join(map(str, range(5_000)))))
    assert _content(load_call(dump_call((found[200],), {}, {})).args[0]) == _content(found[200])
    with pytest.raises(NotCopyable):
        dump_call((found,), {}, {})


class Word(str):
    """Whose methods may not be called."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise AssertionError


class Text(Word):
    """Likewise; a pattern could not be made of it."""

    __slots__ = ()

    def __len__(self) -> int:
        raise AssertionError

    def __getitem__(self, _place: object) -> str:
        raise AssertionError


@pytest.mark.parametrize(
    "match",
    [re.search("b", Text("abc")), re.compile(Word("b")).search("abc"), re.search(b"b", array.array("B", b"abc"))],
)
def test_texts_of_other_classes_have_no_parts(match: re.Match[Any]) -> None:
    assert not [place for place in places(root_of((match,), {})) if place.holder is match]
    assert LiteralWriter([match]).text(match) == "<Match>"
    with pytest.raises(NotBuildableError):
        put(match, "group", match.group())
