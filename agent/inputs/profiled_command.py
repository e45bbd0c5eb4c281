"""The command of the user's that is profiled to find what its time goes into."""

from __future__ import annotations

from pathlib import Path

from afterburner.sandbox import UsageError

_PYTHONS = ("python", "python3")
_TEST_PROGRAMS = ("pytest", "py.test")


def python_command(words: tuple[str, ...]) -> tuple[str, ...]:
    """What stands behind `python` in a command of the user's; empty if there is no command.

    Raises:
        UsageError: it is no Python script and no module.
    """
    if not words:
        return ()
    first, *rest = words
    if Path(first).name in _TEST_PROGRAMS:
        return ("-m", "pytest", *rest)
    known = Path(first).name in _PYTHONS
    if not known or not rest or rest == ["-m"] or (rest[0].startswith("-") and rest[0] != "-m"):
        is_name = not known and not rest and first.replace(".", "").isidentifier()
        hint = f" To name a function of the file, write `--function {first}`." if is_name else ""
        raise UsageError(
            f"The command {' '.join(words)!r} cannot be profiled: write `python SCRIPT.py …`, "
            f"`python -m MODULE …` or `pytest …`, with no options of Python itself.{hint}"
        )
    return tuple(rest)
