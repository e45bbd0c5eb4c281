"""What tests of evaluation share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real benchmark records beside the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"{SHARED_DATA} is not there: the real records of the benchmarks lie beside the repository")
    return SHARED_DATA
