"""What people are shown of the checks: fewer lines than the JSON holds, and nothing twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox.commands.checks import PYTHON_RUNS, Check, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

_RUNS, _EXTRA = "runs ", "extra "
_COMMAND = re.compile(r"`[^`]+`")


def shown_checks(checks: Sequence[Check]) -> list[Check]:
    """The checks for people: further languages that run in one line, likewise extras, in the place of the first.

    An extra is left out if it is missing and another check says so already.
    """
    advice = [each.advice for each in checks if not each.name.startswith(_EXTRA)]
    languages = [each for each in checks if _is_further_language(each)]
    extras = [each for each in checks if each.name.startswith(_EXTRA) and each.status is Status.OK]
    shown: list[Check] = []
    for check in checks:
        if check in languages:
            if check is languages[0]:
                shown.append(Check("also runs", Status.OK, _names(languages, _RUNS)))
        elif check in extras:
            if check is extras[0]:
                shown.append(Check("extras", Status.OK, f"complete: {_names(extras, _EXTRA)}"))
        elif not (check.name.startswith(_EXTRA) and _is_advised(check, advice)):
            shown.append(check)
    return shown


def _is_advised(extra: Check, advice: Sequence[str]) -> bool:
    """Whether another check gives the command that installs an extra."""
    command = _COMMAND.search(extra.advice)
    return command is not None and any(command[0] in each for each in advice)


def _is_further_language(check: Check) -> bool:
    return check.name.startswith(_RUNS) and check.name != PYTHON_RUNS and check.status is Status.OK


def _names(checks: Sequence[Check], prefix: str) -> str:
    return ", ".join(check.name.removeprefix(prefix) for check in checks)
