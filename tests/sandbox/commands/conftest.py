"""Programs in files, and the command line on them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

    Write = Callable[[str, str | bytes], str]


@pytest.fixture
def write(program: CommandLine, sandbox: Sandbox) -> Write:  # noqa: ARG001 - skips where there is no sandbox
    """Write a file where the program is started."""

    def written(name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else textwrap.dedent(content).encode()
        (program.home / name).write_bytes(data)
        return name

    return written
