"""Reads a model's answer: strictly first, and where it breaks the format, leniently by rules that have names.

What leniency may do, each by its name in `Answer.form`:

- `think tags`: `<think>` stands for `<thinking>`, or thoughts end with `</think>` and begin with the text.
- `no tags`, `missing tags`, `repeated tags`: the solution is then what follows the thoughts, or the last
  `<solution>` with code in it.
- `prose around`: text beside the thoughts and the solution is ignored.
- `several code blocks`: the last block that defines the target function is the answer; of a whole program, the last.
- `no code block`: what stands in the solution is code without a fence.
- `truncated`: the end is missing. Only what is whole all the same is taken: a block that is closed, or Python that
  parses and holds the target function. Without `</solution>` behind it, the function has to end with `return` or
  `raise`, or another statement has to follow; where the model's limit cut the answer, only the latter will do.

Nothing is taken from thoughts, and nothing is repaired: code is taken as it stands or not at all.
"""

from __future__ import annotations

import ast
import re
import tokenize
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from afterburner.agent.code.source_text import dedent, parse
from afterburner.agent.models.prompts.answer_format import FENCE, Answer, AnswerFormatError, parse_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_THOUGHTS_BEGIN = re.compile(r"<(think|thinking)>")
_THOUGHTS_END = re.compile(r"</(think|thinking)>")
_ANY_TAG = re.compile(r"</?(?:think|thinking|solution)>")
_SOLUTION, _SOLUTION_END = "<solution>", "</solution>"
_TAGS = ("<thinking>", "</thinking>", _SOLUTION, _SOLUTION_END)
_NO_CODE_TAGS = frozenset({"text", "txt", "console", "bash", "sh", "shell", "diff", "json", "output", "plaintext"})
_PYTHON = "python"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer has to hold: code of this language, and of Python the function (None: a whole program)."""

    function: str | None = None
    language: str = "Python"


def read_answer(
    text: str, wanted: Wanted, *, strict: bool = False, reasoning: str = "", cut_off: bool = False
) -> Answer:
    """Read an answer; where `parse_answer` can, its result is exactly that.

    Args:
        text: the answer.
        wanted: by which the code is told from other code blocks.
        strict: read nothing that breaks the format, as the format's part of a reward has to.
        reasoning: thoughts that came apart from the answer, in a field of their own.
        cut_off: whether the model's limit of tokens ended the answer.

    Raises:
        AnswerFormatError: the message says what is wrong with the format, and why leniency does not help.
    """
    apart = bool(reasoning.strip()) and "<thinking>" not in text
    try:
        answer = parse_answer(f"<thinking></thinking>{text}" if apart else text)
    except AnswerFormatError as error:
        if strict:
            raise
        return _read_leniently(text, wanted, error, reasoning=reasoning.strip(), cut_off=cut_off)
    return replace(answer, thinking=reasoning.strip()) if apart else answer


class _Thoughts(NamedTuple):
    """Where the thoughts are, and what is left of the text: `rest` begins at `at`."""

    thinking: str
    at: int
    forms: tuple[str, ...]
    prose: bool


class _Block(NamedTuple):
    """A code block: the word behind its fence, its code, whether its fence is closed."""

    tag: str
    code: str
    closed: bool


def _read_leniently(text: str, wanted: Wanted, error: AnswerFormatError, *, reasoning: str, cut_off: bool) -> Answer:
    why = ""
    for masked in dict.fromkeys((_without_code(text), text)):  # tags inside of code are none, unless fences misled us
        try:
            answer = _read_parts(text, masked, wanted, cut_off=cut_off)
        except AnswerFormatError as reason:
            why = why or str(reason)
            continue
        form = answer.form.replace("no tags", "missing tags") if reasoning else answer.form
        thinking = "\n\n".join(filter(None, (reasoning, answer.thinking)))
        return Answer(thinking, answer.code, form)
    cut = "The answer was cut off: the model's limit of tokens was reached. " if cut_off else ""
    raise AnswerFormatError(f"{cut}{error} {why}".strip())


def _read_parts(text: str, masked: str, wanted: Wanted, *, cut_off: bool) -> Answer:
    """Take the parts by the tags in `masked`, which is as long as `text`."""
    thoughts = _thoughts(text, masked)
    forms = list(thoughts.forms)
    regions = list(_regions(masked, thoughts.at))
    tagged = bool(regions)
    found = None
    for begin, end in reversed(regions or [(thoughts.at, len(text))]):
        is_ended = masked.startswith(_SOLUTION_END, end)
        found = _code_in(text[begin:end], wanted, tagged=tagged, is_ended=is_ended, cut_off=cut_off)
        if found is not None:
            break
    if found is None:
        what = f"code that is whole and defines {wanted.function}" if wanted.function else "code that is whole"
        raise AnswerFormatError(f"Read leniently, it holds no {what} either.")
    code, told = found
    forms += _tag_forms(masked, forms)
    around = masked[thoughts.at : begin] + masked[end:]
    if thoughts.prose or (tagged and _bare(around).strip()):
        forms.append("prose around")
    if not tagged and _Reader(text[begin:end]).has_text_outside():
        forms.append("prose around")
    forms += told
    if cut_off:
        forms.append("truncated")
    return Answer(thoughts.thinking, code, ", ".join(dict.fromkeys(forms)))


def _thoughts(text: str, masked: str) -> _Thoughts:
    """Find the thoughts that come before the solution, one behind the other.

    Raises:
        AnswerFormatError: they never end.
    """
    thinking: list[str] = []
    forms: list[str] = []
    at, prose = 0, False
    while True:
        solution = masked.find(_SOLUTION, at)
        before_s = len(masked) if solution < 0 else solution
        begin = _THOUGHTS_BEGIN.search(masked, at, before_s)
        end = _THOUGHTS_END.search(masked, begin.end() if begin else at)
        if end is not None and end.start() > before_s and (begin is None or masked.find(_SOLUTION, end.end()) < 0):
            end = None
        if begin is None and (end is None or thinking):
            break
        if end is None:
            if solution < 0:
                raise AnswerFormatError(
                    "Read leniently, its thoughts never end: it may be cut off at a limit of tokens."
                )
            start, stop, after = begin.end() if begin else at, solution, solution
            forms.append("missing tags")
        else:
            start, stop, after = begin.end() if begin else at, end.start(), end.end()
            forms += [] if begin or end[1] == "think" else ["missing tags"]
        prose = prose or bool(begin and text[at : begin.start()].strip())
        forms += ["think tags"] if "think" in {each[1] for each in (begin, end) if each} else []
        thinking.append(text[start:stop].strip())
        at = after
    return _Thoughts("\n\n".join(filter(None, thinking)), at, tuple(dict.fromkeys(forms)), prose)


def _regions(masked: str, at: int) -> Iterator[tuple[int, int]]:
    """From where to where each solution goes, without its tags; one that is not closed goes to the end."""
    begin = masked.find(_SOLUTION, at)
    while begin >= 0:
        begin += len(_SOLUTION)
        end = masked.find(_SOLUTION_END, begin)
        following = masked.find(_SOLUTION, begin)
        yield begin, min((each for each in (end, following) if each >= 0), default=len(masked))
        begin = following


def _tag_forms(masked: str, forms: Iterable[str]) -> list[str]:
    """What is wrong with the tags themselves."""
    counts = [masked.count(tag) for tag in _TAGS]
    if not any(counts) and "think tags" not in forms:
        return ["no tags"]
    wrong = []
    expected = counts[2:] if "think tags" in forms else counts
    if not all(expected):
        wrong.append("missing tags")
    if max(counts) > 1:
        wrong.append("repeated tags")
    if counts == [1, 1, 1, 1] and masked.find(_SOLUTION) < masked.find("<thinking>"):
        wrong.append("missing tags")
    return wrong


def _code_in(
    region: str, wanted: Wanted, *, tagged: bool, is_ended: bool, cut_off: bool
) -> tuple[str, list[str]] | None:
    """The code of a solution and the leniency that it took; None if there is none that is whole.

    `tagged` says that the solution has its tag, `is_ended` that it has the one behind it as well.
    """
    blocks = _Reader(region).blocks
    if not blocks:
        code = region.strip() + "\n"
        whole = _is_python(wanted) and _holds(code, wanted) and (is_ended or _is_whole(code, wanted, cut_off))
        return (code, ["no code block"]) if whole else None
    last = blocks[-1]
    if not last.closed:
        whole = _is_python(wanted) and _holds(last.code, wanted) and (is_ended or _is_whole(last.code, wanted, cut_off))
        told = ["truncated", *_several(blocks, tagged=tagged)]
        return (last.code.rstrip() + "\n", told) if whole else None
    for block in reversed(blocks):
        if block.tag in _NO_CODE_TAGS or not block.code.strip():
            continue
        if not _is_python(wanted) or _holds(block.code, wanted):
            return block.code, _several(blocks, tagged=tagged and block is last)
    return None


def _several(blocks: list[_Block], *, tagged: bool) -> list[str]:
    return ["several code blocks"] if len(blocks) > 1 and not tagged else []


def _is_python(wanted: Wanted) -> bool:
    return wanted.language.lower() == _PYTHON


def _holds(code: str, wanted: Wanted) -> bool:
    """Whether it is Python, and defines the function if there is one."""
    body = _statements(code)
    return bool(body) and (wanted.function is None or _function_in(body, wanted.function) is not None)


def _is_whole(code: str, wanted: Wanted, cut_off: bool) -> bool:
    """Whether code without an end seems whole: what was cut at the end of a line may well parse."""
    body = _statements(code)
    function = _function_in(body, wanted.function) if wanted.function is not None else None
    if function is None:
        return False
    is_followed = (function.end_lineno or 0) < body[-1].lineno
    return is_followed or (not cut_off and isinstance(function.body[-1], ast.Return | ast.Raise))


def _statements(code: str) -> list[ast.stmt]:
    try:
        return parse(dedent(code)).body
    except (SyntaxError, tokenize.TokenError, RecursionError):
        return []


def _function_in(body: list[ast.stmt], name: str) -> _Function | None:
    """The last definition of that name; of a method also without its class around it."""
    found = [node for each, node in _definitions(body) if each in (name, name.rpartition(".")[2])]
    return found[-1] if found else None


def _definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, _Function]]:
    for node in body:
        if isinstance(node, _Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions([*node.body, *node.orelse], prefix)


def _bare(text: str) -> str:
    """The text without any tags."""
    for tag in _TAGS:
        text = text.replace(tag, " ")
    return text


class _Reader:
    """Splits a text into code blocks and what is outside of them."""

    def __init__(self, text: str) -> None:
        self.blocks: list[_Block] = []
        self.spans: list[tuple[int, int]] = []  # of the code of blocks that are closed
        self._outside: list[str] = []
        self._read(text)

    def has_text_outside(self) -> bool:
        """Whether anything but blanks and tags is outside of the blocks."""
        return bool(self.blocks) and bool(_bare("".join(self._outside)).strip())

    def _read(self, text: str) -> None:
        fence, tag, at, begin = "", "", 0, 0
        code: list[str] = []
        for line in text.split("\n"):
            match = FENCE.fullmatch(line.rstrip("\r"))
            if not fence:
                if match:
                    fence, tag, code, begin = match[1], match[2].strip().lower(), [], at + len(line) + 1
                else:
                    self._outside.append(line)
            elif match and match[1].startswith(fence) and not match[2].strip():
                self.blocks.append(_Block(tag, "\n".join([*code, ""]), closed=True))
                self.spans.append((begin, at))
                fence = ""
            else:
                code.append(line)
            at += len(line) + 1
        if fence:
            self.blocks.append(_Block(tag, "\n".join([*code, ""]), closed=False))


def _without_code(text: str) -> str:
    """The text with blanks in place of the code in closed blocks: as long as before."""
    apart = _ANY_TAG.sub(lambda tag: f"\n{' ' * (len(tag[0]) - 2)}\n", text)  # fences may stand right beside tags
    pieces, at = [], 0
    for begin, end in _Reader(apart).spans:
        pieces += [text[at:begin], " " * (end - begin)]
        at = end
    return "".join(pieces) + text[at:]
