"""What the tests of targets and of proposers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.targets.locate import find_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]


@pytest.fixture
def make_target(tmp_path: Path) -> MakeTarget:
    """Write a file byte for byte and find a function in it (None: the whole program)."""

    def make(source: str | bytes, function: str | None, name: str = "module.py") -> Target:
        path = tmp_path / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        return find_target(path, function, whole_program=function is None)

    return make
