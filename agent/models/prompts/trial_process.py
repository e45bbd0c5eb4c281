"""The process of `trial_reading`: reads an answer and puts it in place within limits, and says nothing of it."""

from __future__ import annotations

import json
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.locate import with_source
from afterburner.agent.code.same_work import key_of
from afterburner.agent.code.splice import parse_answer_code, splice
from afterburner.agent.models.prompts.lenient_reading import Wanted, read_answer
from afterburner.agent.types import Target

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Do with the answer that stdin holds what the run will do; what is wrong with it will be wrong there, too."""
    request = json.load(sys.stdin)
    limits, target = request["limits"], Target(**request["target"])
    cst.parse_module("")  # which imports it
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_AS, limits["bytes"] + _mapped_bytes())
    signal.setitimer(signal.ITIMER_PROF, limits["cpu_s"])  # its signal ends a process, whatever code it is in
    with suppress(Exception):
        try:
            answer = read_answer(request["text"], Wanted(target.function, target.language), **request["how"])
            text = splice(target, parse_answer_code(answer.code, target))
            with_source(target, text)
            key_of(text, target.language)
        except Exception as error:
            if any(isinstance(each, MemoryError) for each in _chain(error)):
                sys.exit(1)
            raise


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that it was raised for."""
    while error is not None:
        yield error
        error = error.__context__


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _mapped_bytes() -> int:
    """What this process has of its address space by now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main()
