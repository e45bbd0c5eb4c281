"""Keeps the original's lines where a rewrite only laid the same code out anew.

Models re-quote, re-wrap and re-comment what they do not change. Statement by statement, inside blocks too, code with
the same syntax tree gets its old lines back, with the comments and blank lines above it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.code.line_matching import changes, matching_pairs
from afterburner.agent.code.source_text import dedent, indentation, line_end, lines_inside_strings, parse, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(r"async\s+\w+|\w+|@")
_CONTINUES = frozenset(("elif", "else", "except", "finally"))
_BARE = frozenset(("else", "finally", "try"))
_TRIVIA = frozenset((tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER))


def keep_unchanged(old: Sequence[str], new: Sequence[str], end: str) -> list[str]:
    """Give the lines of `new` with those of `old` in the place of every statement that is the same code in both.

    Args:
        old: lines with their ends, valid Python; they may be indented as a whole.
        new: likewise, indented in the same way.
        end: the line end for a kept line that had none.

    Returns:
        Lines that are the same code as `new`, which is proved; `new` as it is where either cannot be taken apart.
    """
    try:
        meant = _tree(new)
        if _tree(old) == meant:
            return list(old)
        result = [line if line_end(line) else line + end for line in _Merge(_Text(old), _Text(new)).lines()]
        return result if _tree(result) == meant else list(new)
    except (SyntaxError, RecursionError, tokenize.TokenError):
        return list(new)


def _tree(lines: Sequence[str]) -> str:
    return ast.dump(parse(dedent("".join(lines))))


@dataclass(slots=True)
class _Clause:
    """A logical line with the block below it: a statement, or one of its parts such as `else:` or a decorator.

    Numbers are indices of lines: from `lead` on stand the comments and blank lines above it.
    """

    lead: int
    start: int
    stop: int
    word: str
    block: list[_Clause] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The index behind its last line, its block included."""
        return self.block[-1].last if self.block else self.stop


_Group = list[_Clause]  # a whole statement: decorators and all its clauses


class _Text:
    """Lines of Python, taken apart."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self._plain = [line.rstrip("\r\n") + "\n" for line in split_lines(dedent("".join(lines)))]
        text = "".join(self._plain)
        self.inside = lines_inside_strings(text)
        self.clauses = _clauses(text, self._plain)

    def indent(self, clause: _Clause) -> str:
        """The blanks before a clause in the text as it was given."""
        return indentation(self.lines[clause.start])

    def code(self, group: _Group) -> str:
        """A key that two statements share if they are the same code."""
        first, stop = group[0].start, group[-1].last
        prefix = indentation(self._plain[first])
        text = "".join(
            line if index in self.inside else line.removeprefix(prefix)
            for index, line in enumerate(self._plain[first:stop], start=first)
        )
        if group[0].word == "case":
            text = "match _:\n" + "".join(self._plain[first:stop])
        return _dumped(text)

    def header(self, clause: _Clause) -> str:
        """A key that two clauses share if they are the same but for their blocks."""
        text = "".join(self._plain[clause.start : clause.stop]).lstrip(" \t")
        if clause.word in _BARE:
            return clause.word
        if clause.word == "elif":
            return "elif " + _dumped(f"{text[2:]}  pass")
        if clause.word == "except":
            return _dumped(f"try:\n  pass\n{text}  pass")
        if clause.word == "case":
            return _dumped(f"match _:\n {text}  pass")
        if clause.word == "match":
            return _dumped(f"{text} case _: pass")
        return _dumped(f"{text}def _(): pass" if clause.word == "@" else f"{text}  pass")


def _clauses(text: str, plain: list[str]) -> list[_Clause]:
    blocks: list[list[_Clause]] = [[]]
    lead, start = 0, -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.INDENT:
            blocks.append(blocks[-1][-1].block)
        elif token.type == tokenize.DEDENT:
            blocks.pop()
        elif token.type == tokenize.NEWLINE and start >= 0:
            word = _WORD.match(plain[start].lstrip())
            blocks[-1].append(_Clause(lead, start, token.start[0], word[0] if word else ""))
            lead, start = token.start[0], -1
        elif token.type not in _TRIVIA and start < 0:
            start = token.start[0] - 1
    return blocks[0]


def _groups(block: Sequence[_Clause]) -> list[_Group]:
    groups: list[_Group] = []
    for clause in block:
        if groups and (clause.word in _CONTINUES or groups[-1][-1].word == "@"):
            groups[-1].append(clause)
        else:
            groups.append([clause])
    return groups


def _dumped(text: str) -> str:
    try:
        return ast.dump(parse(text))
    except SyntaxError:
        return text


class _Merge:
    """Writes the new text, with the old lines where they say the same."""

    def __init__(self, old: _Text, new: _Text) -> None:
        self._old, self._new = old, new
        self._result: list[str] = []
        self._reached = 0  # of the old lines: the comments from here on belong to something that is still there
        self._copied = 0  # of the old lines, if what was written last comes from there; else -1

    def lines(self) -> list[str]:
        """Merge from top to bottom."""
        if not self._old.clauses or not self._new.clauses:
            return self._new.lines
        self._block(self._old.clauses, self._new.clauses)
        if self._copied == self._old.clauses[-1].last:
            return self._result + self._old.lines[self._copied :]
        return self._result + self._new.lines[self._new.clauses[-1].last :]

    def _block(self, old_block: list[_Clause], new_block: list[_Clause]) -> None:
        old_groups, new_groups = _groups(old_block), _groups(new_block)
        blanks = self._new.indent(new_block[0]), self._old.indent(old_block[0])
        old_codes = [self._old.code(each) for each in old_groups]
        new_codes = [self._new.code(each) for each in new_groups]
        similar = dict(self._similar(old_groups, new_groups, old_codes, new_codes))
        same = {new: old for old, new in matching_pairs(old_codes, new_codes)}
        for index, group in enumerate(new_groups):
            if index in same:
                self._keep(old_groups[same[index]])
            elif index in similar:
                self._merge_clauses(old_groups[similar[index]], group, blanks)
            else:
                for clause in group:
                    self._take(clause, clause.last, blanks)

    def _similar(
        self, old: list[_Group], new: list[_Group], old_codes: list[str], new_codes: list[str]
    ) -> Iterator[tuple[int, int]]:
        """Pair compound statements that changed, (new, old): those with the same header, then of the same kind."""
        for change in changes(old_codes, new_codes):
            old_left = [index for index in range(change.old_start, change.old_end) if old[index][-1].block]
            new_left = [index for index in range(change.new_start, change.new_end) if new[index][-1].block]
            headers = matching_pairs(
                [self._old.header(_head(old[index])) for index in old_left],
                [self._new.header(_head(new[index])) for index in new_left],
            ) or matching_pairs(
                [_head(old[index]).word for index in old_left], [_head(new[index]).word for index in new_left]
            )
            for first, second in headers:
                yield new_left[second], old_left[first]

    def _merge_clauses(self, old: _Group, new: _Group, blanks: tuple[str, str]) -> None:
        same = matching_pairs([self._old.header(each) for each in old], [self._new.header(each) for each in new])
        partners = {second: old[first] for first, second in same}
        equal = set(partners)
        taken = {first for first, _ in same}
        free_old: dict[str, list[_Clause]] = defaultdict(list)  # those with another header, the last first
        for index in range(len(old) - 1, -1, -1):
            if index not in taken:
                free_old[old[index].word].append(old[index])
        for index, each in enumerate(new):
            if index not in equal and free_old[each.word]:
                partners[index] = free_old[each.word].pop()
        for index, clause in enumerate(new):
            partner = partners.get(index)
            if partner is None or not (partner.block and clause.block):
                if partner is not None and index in equal:
                    self._keep([partner])
                else:
                    self._take(clause, clause.last, blanks)
                continue
            if index in equal:
                self._keep([partner], stop=partner.stop)
            else:
                self._take(clause, clause.stop, blanks)
            self._block(partner.block, clause.block)
            self._reached = partner.last

    def _keep(self, group: _Group, stop: int | None = None) -> None:
        """Write old lines. Comments that end a block above are left out where that block went away."""
        first = group[0]
        comments = self._old.lines[first.lead : first.start]
        if self._reached != first.lead:
            blanks = len(self._old.indent(first))
            comments = [line for line in comments if not line.strip() or len(indentation(line)) <= blanks]
        self._reached = self._copied = group[-1].last if stop is None else stop
        self._result += comments + self._old.lines[first.start : self._reached]

    def _take(self, clause: _Clause, stop: int, blanks: tuple[str, str]) -> None:
        """Write new lines, indented as the old ones around them are."""
        before, after = blanks
        for index in range(clause.lead, stop):
            line = self._new.lines[index]
            moves = before != after and index not in self._new.inside and line.startswith(before) and line.strip()
            self._result.append(after + line[len(before) :] if moves else line)
        self._reached = self._copied = -1


def _head(group: _Group) -> _Clause:
    """The clause that says what a statement is, below its decorators."""
    return next((clause for clause in group if clause.word != "@"), group[-1])
