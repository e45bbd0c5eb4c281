"""Where a run's minimum effect comes from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from afterburner.agent.judge.min_effect import HIGHEST, LOWEST, min_effect_for, remember
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.types import Machine
from afterburner.sandbox import AfterburnerError

HERE = Machine("Linux 6.1 x86_64", "Quick CPU", 2, 8_388_608, "3.11", "bubblewrap 0.8.0", "rlimits")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "afterburner-agent" / "selfcheck.json"


def test_what_was_measured_holds_on_this_machine_and_no_other() -> None:
    remember(HERE, 0.08, decisions=30)
    found = min_effect_for(None, HERE)
    assert found.value == 0.08
    assert "selfcheck" in found.source
    for other in (
        replace(HERE, cpu_model="Slow CPU"), replace(HERE, python="3.12"), replace(HERE, system="Linux 6.2 x86_64"),
        replace(HERE, cpus=4), replace(HERE, tier="cgroup v2"),
    ):  # fmt: skip
        assert min_effect_for(None, other).value == DEFAULT_MIN_EFFECT
    assert min_effect_for(None, replace(HERE, memory_kib=1)).value == 0.08


def test_what_the_user_asks_for_comes_first() -> None:
    remember(HERE, 0.08)
    assert min_effect_for(0.0, HERE).value == 0.0
    assert min_effect_for(0.4, HERE).source == "--min-effect"


def test_each_machine_keeps_its_own() -> None:
    other = replace(HERE, cpus=4)
    remember(HERE, 0.08)
    remember(other, 0.03)
    remember(HERE, 0.10)
    assert [min_effect_for(None, machine).value for machine in (HERE, other)] == [0.10, 0.03]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"schema": 2, "machines": {}}', '{"schema": 1, "machines": []}', "\x00", "[" * 100_000]
)
def test_a_file_that_is_not_ours_is_as_good_as_none(state: Path, text: str) -> None:
    state.parent.mkdir(parents=True)
    state.write_text(text)
    assert min_effect_for(None, HERE).value == DEFAULT_MIN_EFFECT
    remember(HERE, 0.08)
    assert min_effect_for(None, HERE).value == 0.08


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (1e9, HIGHEST),
        (-1, LOWEST),
        ("0.1", DEFAULT_MIN_EFFECT),
        (None, DEFAULT_MIN_EFFECT),
        (float("nan"), DEFAULT_MIN_EFFECT),
    ],
)
def test_a_value_that_was_meddled_with_stays_within_bounds(state: Path, written: object, value: float) -> None:
    remember(HERE, 0.08)
    document = json.loads(state.read_text())
    (entry,) = document["machines"].values()
    entry["min_effect"] = written
    state.write_text(json.dumps(document))
    assert min_effect_for(None, HERE).value == value


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(AfterburnerError, match="XDG_STATE_HOME"):
        remember(HERE, 0.08)
