"""Compares outputs token by token: what lies between whitespace, whatever the whitespace is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox.comparing import WHITESPACE, Comparison, common_length, count, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox.comparing import Expected

    Closeness = Callable[[bytes, bytes], bool]

_LONGEST = 1000  # bytes of a token that is looked at as a whole; longer ones are equal only byte for byte
_SPACE = re.compile(rb"[ \t\n\r\v\f]")
_SPACES = frozenset(WHITESPACE[index : index + 1] for index in range(len(WHITESPACE)))


class TokenComparison(Comparison):
    """The tokens have to be the same in number and order, and each equal to its counterpart.

    Both sides advance together as long as their bytes are the same; then either both stand between tokens, and
    whitespace is skipped, or the rest of the printed token is collected until it can be compared.
    """

    def __init__(self, expected: Expected, is_close: Closeness | None = None) -> None:
        """`is_close` says whether a printed token, the second, counts as equal although its bytes are other ones."""
        super().__init__(expected)
        self._is_close = is_close
        self._gap_end = 0  # the expected side has skipped whitespace up to here
        self._in_gap = False  # the printed side is skipping its own
        self._rest: _Rest | None = None  # what was printed of the token at hand from the first other byte on
        self._differs = False

    def _take(self, printed: bytes) -> None:
        while printed and not self._differs:
            if self._rest is not None:
                printed = self._take_rest(self._rest, printed)
                continue
            if self._in_gap:
                printed = printed.lstrip()
                self._in_gap = not printed
                continue
            wanted = self._expected.piece(self._at, len(printed))
            if wanted == printed:
                self._at += len(printed)
                return
            printed = printed[self._take_unequal(wanted, printed) :]
        if self._rest is not None:
            self._rest.add(printed)

    def _take_unequal(self, wanted: bytes, printed: bytes) -> int:
        """Takes in some of what is not the same byte for byte, and says how much.

        First to the end of the token at hand; from between two tokens, many are compared at once.
        """
        if self._is_inside():
            space = _SPACE.search(printed)
            return self._take_same(wanted, printed, max(1, space.start()) if space else len(printed))
        passed, taken = _pass_equal_tokens(wanted, printed, self._is_close)
        if taken == 0:
            return self._take_same(wanted, printed, len(printed))
        self._at += passed
        return taken

    def _take_same(self, wanted: bytes, printed: bytes, most: int) -> int:
        same = common_length(wanted, printed[:most])
        self._at += same
        if same == most:
            return same
        wanted_next, printed_next = wanted[same : same + 1], printed[same : same + 1]
        if self._is_inside():
            is_gap = printed_next in _SPACES and (not wanted_next or wanted_next in _SPACES)
        else:
            is_gap = printed_next in _SPACES or wanted_next in _SPACES
        if is_gap:
            self._skip_gap()
        else:
            self._rest = _Rest()
        return same

    def _take_rest(self, rest: _Rest, printed: bytes) -> bytes:
        following = rest.add(printed)
        if rest.is_ended or rest.length > _LONGEST:
            self._end_token(rest)
        return following

    def _end_token(self, rest: _Rest) -> None:
        """Compares the token at hand, of which all was printed, or more than can count as equal."""
        begun, left = self._begun(), self._left()
        if (
            self._is_close is not None
            and len(begun + left) <= _LONGEST
            and self._is_close(begun + left, begun + rest.head)
        ):
            self._at += len(left)
            self._rest = None
            self._skip_gap()
        else:
            self._differs = True

    def _skip_gap(self) -> None:
        self._at = self._gap_end = self._expected.after(WHITESPACE, self._at)
        self._in_gap = True

    def _is_inside(self) -> bool:
        """Whether the token at hand has begun."""
        return self._at != self._gap_end and self._expected.piece(self._at - 1, 1) not in _SPACES

    def _begun(self) -> bytes:
        """What of the token at hand agrees; its end, if that is too long to be looked at as a whole."""
        if not self._is_inside():
            return b""
        start = max(0, self._at - _LONGEST - 1)
        return self._expected.piece(start, self._at - start).split()[-1]

    def _left(self) -> bytes:
        """What is expected of the token at hand after that; its beginning, if that is too long."""
        following = self._expected.piece(self._at, _LONGEST + 1)
        space = _SPACE.search(following)
        return following[: space.start()] if space else following

    def finish(self) -> str | None:
        """See `Comparison.finish`."""
        if not self._differs and (self._rest is not None or (self._is_inside() and self._left())):
            self._rest = self._rest or _Rest()
            self._end_token(self._rest)
        if self._differs and self._rest is not None:
            return self._explain_token(self._rest)
        next_token = self._expected.after(WHITESPACE, self._at)
        if next_token == self._expected.size:
            return None
        number, wanted = self._count_tokens()[0], self._quote_wanted(next_token, 0)
        return f"token {number + 1}: expected {wanted}, but the output ends after {count(number, 'token')}"

    def _explain_token(self, rest: _Rest) -> str:
        number, start = self._count_tokens()
        got = self._quote_got(rest, start)
        if self._at == start == self._expected.size:
            return f"token {number + 1}: expected the output to end after {count(number, 'token')}, got {got}"
        return f"token {number + 1}: expected {self._quote_wanted(start, self._at - start)}, got {got}"

    def _count_tokens(self) -> tuple[int, int]:
        """How many tokens are complete before the one at hand, and where that one begins."""
        number, start, is_inside = 0, 0, False
        for offset, piece in self._expected.pieces(0, self._at):
            tokens = piece.split()
            number += len(tokens) - (is_inside and piece[:1] not in _SPACES)
            is_inside = piece[-1:] not in _SPACES
            if not is_inside:
                start = offset + len(piece)
            elif len(tokens[-1]) < len(piece):
                start = offset + len(piece) - len(tokens[-1])
        if self._is_inside() and self._differs:
            return number - 1, start
        return number, self._at

    def _quote_wanted(self, start: int, first: int) -> str:
        end = self._expected.size
        for offset, piece in self._expected.pieces(self._at if first else start):
            if space := _SPACE.search(piece):
                end = offset + space.start()
                break
        return quote(lambda offset, most: self._expected.piece(start + offset, most), end - start, first)

    def _quote_got(self, rest: _Rest, start: int) -> str:
        same = self._at - start

        def read(offset: int, most: int) -> bytes:
            return (self._expected.piece(start + offset, min(most, same - offset)) + rest.head)[:most]

        return quote(read, same + rest.length, same)


class _Rest:
    """What was printed of a token after the part that agrees."""

    def __init__(self) -> None:
        self.head = b""  # as much of it as is looked at
        self.length = 0
        self.is_ended = False  # whitespace has come

    def add(self, printed: bytes) -> bytes:
        """Takes in up to the next whitespace; that and what follows it comes back."""
        if self.is_ended:
            return printed
        space = _SPACE.search(printed)
        end = space.start() if space else len(printed)
        self.head += printed[: min(end, _LONGEST + 1 - len(self.head))]
        self.length += end
        self.is_ended = space is not None
        return printed[end:]


def _pass_equal_tokens(wanted: bytes, printed: bytes, is_close: Closeness | None) -> tuple[int, int]:
    """How much of both, from between two tokens on, are whole tokens that agree, and the whitespace after them."""
    wanted_tokens, printed_tokens = _whole_tokens(wanted), _whole_tokens(printed)
    number = min(len(wanted_tokens), len(printed_tokens))
    if wanted_tokens[:number] != printed_tokens[:number]:
        pairs = zip(wanted_tokens, printed_tokens, strict=False)
        unequal = (index for index, (one, other) in enumerate(pairs) if one != other)
        if is_close is None:
            number = next(unequal)
        else:
            close = is_close
            number = next(
                (index for index in unequal if not close(wanted_tokens[index], printed_tokens[index])), number
            )
    return _length(wanted, number), _length(printed, number)


def _whole_tokens(text: bytes) -> list[bytes]:
    tokens = text.split()
    return tokens[:-1] if text and text[-1:] not in _SPACES else tokens


def _length(text: bytes, tokens: int) -> int:
    """The length of so many tokens at the beginning, with the whitespace around them."""
    parts = text.split(None, tokens)
    return len(text) - (len(parts[tokens]) if len(parts) > tokens else 0)
