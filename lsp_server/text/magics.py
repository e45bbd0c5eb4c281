"""A notebook's cell as Python, line by line: what only IPython understands becomes comments."""

from __future__ import annotations

import re

from afterburner.agent.code.source_text import indentation, line_end, split_lines
from afterburner.lsp_server.text.outline import continued_lines

# Magics that run Python, and their options that take a value.
_RUN_STATEMENTS = {"time": "", "timeit": "nrp", "prun": "lsTD", "lprun": "fmTDu", "mprun": "fT", "memit": "rti"}
_RUN_CELLS = frozenset({*_RUN_STATEMENTS, "capture"})
_MAGIC = re.compile(
    r"""
    [ \t]*+ (?: [%!?]                         # %time f(x), !ls, ?f
    | [%\w.*]+ \?{1,2} [ \t]* $               # f?
    | [\w \t,.\[\]'"]+ = [ \t]* [%!] )        # files = !ls
    """,
    re.VERBOSE | re.MULTILINE,
)
_MAY_CONTINUE = re.compile(r"[\"'()\[\]{}\\]")
_STATEMENT = re.compile(r"[ \t]*%(?P<name>\w+)[ \t]+(?P<rest>.*)")
_CELL_MAGIC = re.compile(r"\s*%%(?P<name>\w+)")


def as_python(text: str) -> str:
    """The text of a cell with as many lines, the last one ended, and magics as comments.

    What `%time`, `%timeit` and their like run stays, as does a cell under `%%time`. A cell in another language, such as
    one under `%%bash`, becomes comments altogether.
    """
    lines = split_lines(text)
    if not lines:
        return text
    if not line_end(lines[-1]):
        lines[-1] += "\n"
    cell = _CELL_MAGIC.match(text)
    if cell is not None and cell["name"] not in _RUN_CELLS:
        return "".join(map(commented, lines))
    if cell is not None:
        at = lines_to_cell_magic(text) - 1
        lines[at] = commented(lines[at])
    is_joined, continued = False, continued_lines("".join(lines), lines)
    for number, line in enumerate(lines):
        if is_joined or (_MAGIC.match(line) and number not in continued):
            lines[number] = commented(line) if is_joined else _plain(line)
            is_joined = line.rstrip().endswith("\\")
            if _MAY_CONTINUE.search(line):  # the magic has perhaps hidden where the lines behind it end
                continued = continued_lines("".join(lines), lines)
    return "".join(lines)


def commented(line: str) -> str:
    """A line as a comment."""
    return f"# {line}" if line.strip() and not line.startswith("#") else line


def lines_to_cell_magic(text: str) -> int:
    """How many lines of a cell lead to a magic of the whole cell, which nothing may stand before, with its own."""
    found = _CELL_MAGIC.match(text)
    return len(split_lines(found[0])) if found is not None else 0


def _plain(line: str) -> str:
    """A line that is a magic, as Python: the statement that it runs, or a comment."""
    found = _STATEMENT.match(line)
    if found is not None and found["name"] in _RUN_STATEMENTS:
        statement = _without_options(found["rest"], _RUN_STATEMENTS[found["name"]])
        if statement:
            return indentation(line) + statement + line_end(line)
    # The magic may be all that stands in its block.
    return f"{indentation(line)}pass  # {line.lstrip()}" if indentation(line) else commented(line)


def _without_options(rest: str, with_value: str) -> str:
    while rest.startswith("-"):
        option, _, rest = rest.partition(" ")
        rest = rest.lstrip()
        if len(option) == 2 and option[1] in with_value:
            rest = rest.partition(" ")[2].lstrip()
    return rest.rstrip("\r\n")
