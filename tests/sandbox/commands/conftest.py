"""Programs in files, and the command line on them."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.folders import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

    Write = Callable[[str, str | bytes], str]


@pytest.fixture
def program(program: CommandLine) -> CommandLine:
    """With the meter that is compiled already: ziglang, which some machines have alone, takes a minute."""
    return replace(program, variables={"XDG_CACHE_HOME": str(cache_folder().parent)})


@pytest.fixture
def write(program: CommandLine, sandbox: Sandbox) -> Write:  # noqa: ARG001 - skips where there is no sandbox
    """Write a file where the program is started."""

    def written(name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else textwrap.dedent(content).encode()
        (program.home / name).write_bytes(data)
        return name

    return written
