"""What a shell completes beyond commands and options: the functions of a file, and stored runs.

A completion that fails offers nothing and prints nothing: a message would garble the line that the user is typing.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.cli import loaded_late
from afterburner.sandbox.errors import AfterburnerError

if TYPE_CHECKING:
    from afterburner.agent.store.stored_run import KeptRun

LINES = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # where shells put the line: bash, and the others


def complete_function(incomplete: str) -> list[tuple[str, str]]:
    """Names of functions in the Python file on the line; the hint is the function's line number.

    It reads the raw line: while the last option still lacks its value, no arguments have been parsed.
    """
    words = _words(next(filter(None, map(os.environ.get, LINES)), ""))
    files = [number for number, word in enumerate(words) if word.endswith(".py") and _is_file(word)]
    # `--calls inputs.py shop.py`: what follows an option is probably its value.
    files.sort(key=lambda number: words[number - 1].startswith("-"))
    with suppress(AfterburnerError, OSError):
        for number in files[:1]:
            source, _ = loaded_late.read_source(Path(words[number]).expanduser())
            found = loaded_late.functions_in(source)
            return [(name, f"line {first}") for name, first, _ in found if name.startswith(incomplete)]
    return []


def complete_run(incomplete: str) -> list[tuple[str, str]]:
    """Ids of stored runs, the newest first, with file and outcome as the hint; `latest` comes first.

    None if a PostgreSQL server keeps them: a shell must not wait for one.
    """
    with suppress(AfterburnerError, OSError):
        runs = loaded_late.runs_kept_here()
        named = [("latest", _about(runs[0])), *((run.run_id, _about(run)) for run in runs)] if runs else []
        return [each for each in named if each[0].startswith(incomplete)]
    return []


def _words(line: str) -> list[str]:
    """The words of a line whose last one may have a quote that is still open."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    with suppress(ValueError):
        words.extend(lexer)
    return words


def _is_file(word: str) -> bool:
    with suppress(OSError, ValueError, RuntimeError):  # too long, a null byte, a home folder of nobody
        return Path(word).expanduser().is_file()
    return False


def _about(run: KeptRun) -> str:
    function = f", {run.function}" if run.function else ""
    return f"{Path(run.file).name}{function}: {run.decision or run.state}"
