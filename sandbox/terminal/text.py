"""Words for people: scrubbing of foreign text, paths, streams, questions. Needs little beside Python."""

from __future__ import annotations

import os
import select
import sys

from afterburner.sandbox.visible import visible

_LOOK_AGAIN_S = 0.5


def scrub(text: str) -> str:
    r"""Replace what could drive a terminal or hide text by its escape, `\x1b` for ESC. Tab and newline stay."""
    return visible(text, keep="\t\n")


def scrub_line(text: str) -> str:
    """Scrub text and bring it to one line."""
    return scrub(" ".join(text.split()))


def format_elapsed(seconds: float) -> str:
    """Minutes and seconds, `2:05`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


def display_path(path: str) -> str:
    """Give the path relative to the working directory where it lies below it, safe to print."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return scrub_line(path)
    return scrub_line(path if relative.startswith("..") else relative)


def is_interactive() -> bool:
    """Say whether a person can be asked: both the question and the answer are on a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask on stderr and read one line from stdin; only y and yes agree, and the end of input declines."""
    import termios  # noqa: PLC0415 - Windows has none, and is told so before anything is asked

    termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed during the run is no answer
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    while not select.select([sys.stdin], [], [], _LOOK_AGAIN_S)[0]:
        continue  # a signal that came just before the wait would not end it, but is seen here
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def harden_streams() -> None:
    """Make standard streams safe to write: closed ones become /dev/null, unencodable characters are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
