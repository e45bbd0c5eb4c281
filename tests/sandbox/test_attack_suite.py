"""Every attack, and every good program beside them, with both backends: the same verdict, and nobody else notices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from attack_files import Attack, read_attacks
from attack_host import WORD, Host, attacked_host

from afterburner.sandbox import CaseReport, Program, Sandbox, TestCase, Verdict
from afterburner.sandbox.errors import ToolchainMissingError
from afterburner.sandbox.languages import LANGUAGES
from afterburner.sandbox.toolchains import find_toolchain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark.structures import ParameterSet

pytestmark = pytest.mark.slow

IN_THE_TEST_IMAGE = {"python", "cpp"}
ATTACKS = read_attacks()


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with attacked_host() as host:
        yield host


def by_name(attack: Attack) -> str:
    return attack.name


@pytest.mark.floor
@pytest.mark.parametrize("attack", ATTACKS, ids=by_name)
def test_under_bubblewrap(attack: Attack, sandbox: Sandbox, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        find_toolchain(LANGUAGES[attack.language])
    except ToolchainMissingError as error:
        pytest.skip(str(error))
    withstand(attack, sandbox, host, monkeypatch)


def one_of_each_kind(attacks: list[Attack]) -> list[ParameterSet]:
    """Every attack; all but the first of those whose names begin with the same word are for the night."""
    kinds: set[str] = set()
    parameters = []
    for attack in attacks:
        kind = attack.name.partition("_")[0]
        parameters.append(pytest.param(attack, id=attack.name, marks=[pytest.mark.nightly] if kind in kinds else []))
        kinds.add(kind)
    return parameters


@pytest.mark.parametrize("attack", one_of_each_kind([each for each in ATTACKS if each.language in IN_THE_TEST_IMAGE]))
def test_in_docker(attack: Attack, docker_sandbox: Sandbox, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    withstand(attack, docker_sandbox, host, monkeypatch)


def withstand(attack: Attack, sandbox: Sandbox, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs it, and looks at what became of it, of the host, and of the next program."""
    if attack.needs == "control groups" and sandbox.describe()[1] == "rlimits":
        pytest.skip("Without control groups nothing limits the memory that the kernel holds for a program.")
    if attack.compile_limits is not None:
        language = replace(LANGUAGES[attack.language], compile_limits=attack.compile_limits)
        monkeypatch.setitem(LANGUAGES, attack.language, language)
    report = sandbox.run(attack.program(host.places), attack.test_cases(host.places), attack.limits)
    assert len(report.cases) == attack.cases
    for case in report.cases:
        assert case.verdict == attack.must, told(case)
        if attack.prints is not None:
            assert case.stdout == attack.prints, told(case)
        shown = case.stdout.decode("latin-1") + case.stderr + ("" if attack.expects else case.detail)
        assert WORD not in shown, told(case)
    assert host.harm() == []
    after = sandbox.run(Program("python", "print('as usual')"), [TestCase(b"", b"as usual")])
    assert after.verdict == Verdict.ACCEPTED, told(after.cases[0])


def told(case: CaseReport) -> tuple[str, str, bytes, str]:
    """What to show of a case that is not as it must be."""
    return case.verdict, case.detail, case.stdout[:500], case.stderr[-1500:]
