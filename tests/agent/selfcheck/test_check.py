"""The check as its user meets it: in the real sandbox, interrupted, and with news that must not be overlooked."""

from __future__ import annotations

import importlib.resources
import json
import signal
from io import StringIO
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from rich.console import Console

from afterburner.agent.cli.selfcheck_document import document_of
from afterburner.agent.cli.selfcheck_report import print_findings
from afterburner.agent.judge.decide import Comparison, Judge
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.agent.judge.min_effect import HIGHEST, LOWEST, min_effect_for
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.selfcheck.check import SelfCheck, keep
from afterburner.agent.selfcheck.decision import Test as AloneTest
from afterburner.agent.selfcheck.decision import best_of
from afterburner.agent.selfcheck.findings import Findings, Rate, Tried, suitable_min_effect
from afterburner.agent.selfcheck.place import calibrate, open_subject
from afterburner.agent.selfcheck.subjects import DISGUISES, SHAPES
from afterburner.agent.types import Decision, Gain, Machine, Objective
from afterburner.sandbox import Measurement
from afterburner.sandbox.folders import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.agent.events import ProgressEvent
    from afterburner.sandbox.sandbox import Sandbox

SHORT = {"a short one": (SHAPES[0], 5e-6)}


def schema() -> dict[str, Any]:
    text = (importlib.resources.files("afterburner.agent.cli") / "selfcheck-schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.nightly
@pytest.mark.slow
def test_a_short_check_decides_tells_and_sets_the_minimum_effect(sandbox: Sandbox) -> None:
    told: list[ProgressEvent] = []
    check = SelfCheck(sandbox, max_seconds=1.0, decisions_wanted=1, on_event=told.append, functions=SHORT)
    check.run()
    tests = [test.comparison.decision for test in check.tried[0].tests]
    findings = check.findings()
    assert not {Decision.WRONG, Decision.REFUSED}.intersection(tests), "the function does the same as itself"
    assert findings.offered.trials == 1
    assert findings.accepted.trials == len(tests) >= 1
    assert [event.stage for event in told].count("identical") == 1
    (floor,) = findings.floors
    assert floor.blocks >= 8
    assert floor.cpu_sd is not None
    jsonschema.validate(document_of(findings, None, interrupted=False).to_json(), schema())
    place = keep(findings)
    assert (place is None) == (findings.min_effect is None)
    assert findings.machine is not None
    assert min_effect_for(None, findings.machine).value == (findings.min_effect or DEFAULT_MIN_EFFECT)


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.nightly
def test_a_true_gain_among_copies_of_the_original_is_the_one_that_is_offered(sandbox: Sandbox, tmp_path: Path) -> None:
    (subject,) = calibrate(sandbox, {"a longer one": (SHAPES[1], 2e-3)})
    prepared = open_subject(sandbox, subject, tmp_path).of_source(subject.source(slower=2.0))
    candidates = [subject.source(layout, slower=2.0) for layout in DISGUISES[:2]]
    choice = best_of(prepared, Judge(Objective.TIME, DEFAULT_MIN_EFFECT, 0), [*candidates, subject.source()])
    assert choice.offered == 2, [record.reason for record in choice.settled]
    assert choice.best == 2
    assert choice.confirmation is not None
    assert choice.confirmation.gain is not None
    assert choice.confirmation.gain.low > 1 + DEFAULT_MIN_EFFECT


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.nightly
def test_an_interrupt_tells_what_is_known_and_stores_nothing(program: CommandLine, tmp_path: Path) -> None:
    with program.start("selfcheck", "--json", str(tmp_path / "found.json")) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "noise: " in line:
                break
        running.send_signal(signal.SIGINT)
        printed, told = running.communicate()
    assert running.returncode == 130, told
    assert "Interrupted: this is what is known so far" in printed
    assert "The default minimum effect is unchanged" in printed
    assert "Traceback" not in told
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    jsonschema.validate(found, schema())
    assert found["interrupted"]
    assert found["stored_in"] is None
    assert found["noise"][0]["blocks"] > 0
    assert list(program.home.rglob("selfcheck.json")) == []


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_without_a_sandbox_nothing_is_checked(program: CommandLine) -> None:
    known = str(cache_folder().parent)  # the meter is built, so that there is nothing to wait for
    done = program("selfcheck", PATH="/nowhere", DOCKER_HOST="unix:///nowhere.sock", XDG_CACHE_HOME=known)
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""


def tried(spread: float, blocks: int, *accepted: float) -> Tried:
    """A subject with so much noise, and tests of it that accepted gains of these lower bounds."""

    def block(ratio: float) -> Block:
        sides = [Measurement(cpu_s, cpu_s, 1, cpu_s) for cpu_s in (ratio, 1.0)]
        before, after = (Sample(work, work, (work,)) for work in sides)
        return Block.of((before,), (after,))

    noise = [block(1 + spread * (n - blocks / 2) / blocks) for n in range(blocks)]
    made = Tried("a subject", 1e-3, [AloneTest(Comparison(Decision.NOT_BETTER, "", blocks=tuple(noise)), 16, 1.0)])
    for low in accepted:
        gain = Gain(low + 0.02, low, low + 0.04, 0.98, 8)
        made.tests.append(AloneTest(Comparison(Decision.IMPROVED, "", gain), 16, 1.0))
    return made


def test_the_minimum_effect_follows_the_noisiest_function_within_bounds() -> None:
    quiet, loud, deafening = (tried(spread, 40) for spread in (1e-4, 0.3, 3.0))
    assert suitable_min_effect([quiet]) == LOWEST
    middle = suitable_min_effect([quiet, loud])
    assert middle is not None
    assert LOWEST < middle < HIGHEST
    assert middle * 200 == pytest.approx(round(middle * 200))
    assert suitable_min_effect([loud, deafening]) == HIGHEST


def test_too_few_blocks_set_no_minimum_effect() -> None:
    assert suitable_min_effect([tried(0.01, 40), tried(0.01, 10)]) is None
    assert suitable_min_effect([]) is None


def test_where_identical_code_was_accepted_the_minimum_effect_is_above_that_gain() -> None:
    assert suitable_min_effect([tried(1e-4, 40, 1.021)]) == DEFAULT_MIN_EFFECT, "no less than the default"
    assert suitable_min_effect([tried(1e-4, 40, 1.08, 1.121)]) == 0.125


HERE = Machine("Linux 6.1 x86_64", "Quick CPU", 2, 8_388_608, "3.11", "bubblewrap 0.8.0", "rlimits")


def findings(offered: int, accepted: int) -> Findings:
    return Findings(HERE, (), DEFAULT_MIN_EFFECT, Rate(offered, 40), Rate(accepted, 8), 0, None, 0.06, 120.0)


def printed(found: Findings, stored: Path | None) -> str:
    stream = StringIO()
    print_findings(Console(file=stream, width=300, color_system=None), found, stored, interrupted=False)
    return stream.getvalue()


def test_a_false_accept_is_told_loudly(tmp_path: Path) -> None:
    quiet, loud = printed(findings(0, 0), tmp_path), printed(findings(1, 0), tmp_path)
    assert "0 of 40 accepted; the rate is at most 7.2% (95% confidence)" in quiet
    assert "Identical code was accepted here" not in quiet
    assert "1 of 40 ACCEPTED" in loud
    assert "Do not trust small gains on this machine" in loud
    assert findings(0, 1).false_accepts == findings(1, 0).false_accepts == 1


def test_the_minimum_effect_is_told_with_its_place(tmp_path: Path) -> None:
    text = printed(findings(0, 0), tmp_path / "selfcheck.json")
    assert "Minimum effect on this machine: 6%, in place of 5%" in text
    assert "selfcheck.json" in text


def test_the_json_is_ascii_and_as_documented() -> None:
    text = document_of(findings(0, 0), None, interrupted=False).to_text()
    jsonschema.validate(json.loads(text), schema())
    assert text.isascii()
    assert text.endswith("}\n")
