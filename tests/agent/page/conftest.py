"""Results to make pages of, and a browser to open them in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from browser import browser, visit  # noqa: F401 - fixtures

from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.samples import SampleFigures

from ..cli.conftest import improved, settings, unimproved  # noqa: F401, TID252 - the same hand-made results
from ..evidence.conftest import GROWTH  # noqa: TID252 - the same hand-made evidence

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult

SAMPLES = SampleFigures("CPU time", (1.62, 1.58, 1.6, 1.61, 1.59), (0.2, 0.21, 0.199, 0.2, 0.22))


@pytest.fixture
def proven(improved: RunResult) -> RunResult:  # noqa: F811 - the fixture above
    """An improvement with its samples and its growth."""
    return replace(improved, evidence=Evidence(GROWTH, samples=SAMPLES))
