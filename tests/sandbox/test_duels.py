"""Two sides of a comparison in forks of one template: what is measured, and what the sides cannot do to one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.driver.ab_calls import dump_call
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.duels import DuelReport, DuelSample

ORIGINAL = "def f(n):\n    return sum(i * i for i in range(n))\n"
CALLS = tuple(dump_call((n,), {}, {}) for n in (2_000, 3_000, 4_000))
ENTRY = FunctionEntry("target", "/afterburner/program/target.py", "f")


def duel(
    sandbox: Sandbox,
    rival: str,
    *,
    original: str = ORIGINAL,
    order: tuple[int, ...] = (0, 1, 1, 0),
    limit_s: float = 5.0,
) -> DuelReport:
    program = Program("python", original, ENTRY)
    [case] = sandbox.run(program, [CallCase(CALLS)]).cases
    expected = tuple(outcome.encoded for outcome in case.outcomes)
    watched = tuple(range(len(order)))
    return sandbox.duel(program, Duel((rival,), CallCase(CALLS, expected), order, limit_s, watched), Limits(20.0, 20.0))


def by_side(report: DuelReport, side: int) -> list[DuelSample]:
    return [sample for sample in report.samples if sample.side == side]


def test_every_sample_makes_every_call_once_and_is_judged(sandbox: Sandbox) -> None:
    report = duel(sandbox, ORIGINAL, order=(0, 1, 1, 0, 1, 0, 0, 1))
    assert report.broken_off is None
    assert [sample.side for sample in report.samples] == [0, 1, 1, 0, 1, 0, 0, 1]
    for sample in report.samples:
        assert sample.verdict is Verdict.ACCEPTED, sample.detail
        assert sample.complaints == ()
        assert sample.calls is not None
        assert len(sample.outcomes) == len(CALLS)
        told = sum(outcome.cpu_time_s for outcome in sample.outcomes)
        assert told == pytest.approx(sample.calls.cpu_time_s)
        assert sample.calls.cpu_time_s < sample.told_cpu_s <= sample.process_cpu_s + 1e-3


def test_less_work_takes_less_time_on_the_kernels_clock_too(sandbox: Sandbox) -> None:
    slow = duel(sandbox, ORIGINAL, original=ORIGINAL.replace("(i", "(i + 0 * sum(range(4000))"))
    before, after = (min(sample.process_cpu_s for sample in by_side(slow, side)) for side in (0, 1))
    assert before > 2 * after


def test_a_wrong_side_is_found_in_every_sample_of_it(sandbox: Sandbox) -> None:
    report = duel(sandbox, ORIGINAL.replace("n))", "n)) + (n == 3000)"))
    assert [sample.verdict for sample in report.samples] == [
        Verdict.ACCEPTED, Verdict.WRONG_ANSWER, Verdict.WRONG_ANSWER, Verdict.ACCEPTED
    ]  # fmt: skip
    assert report.samples[1].calls is None, "no time counts without the right outcomes"
    assert "instead of" in report.samples[1].detail


@pytest.mark.parametrize(
    ("rival", "complaint"),
    [
        ("open('/tmp/left', 'w').write('x')", "files"),
        ("import os\nif os.fork() == 0:\n    import time\n    time.sleep(60)", "processes"),
        ("import time\ntime.process_time = lambda: 0.0", "patched"),
    ],
)
def test_what_a_sample_leaves_is_told_and_gone_before_the_next(sandbox: Sandbox, rival: str, complaint: str) -> None:
    body = "\n".join("    " + line for line in rival.splitlines())
    original = "import os\ndef f(n):\n    assert os.listdir('/tmp') == []\n    return sum(range(n))\n"
    report = duel(sandbox, f"import os\ndef f(n):\n{body}\n    return sum(range(n))\n", original=original)
    assert report.broken_off is None
    for sample in by_side(report, 0):
        assert sample.verdict is Verdict.ACCEPTED, sample.detail
        assert sample.complaints == ()
    for sample in by_side(report, 1):
        assert any(each.startswith(complaint) for each in sample.complaints), sample.complaints


@pytest.mark.parametrize(
    "attack",
    [
        "os.kill(os.getppid(), 9)",
        "os.kill(os.getppid(), 19)",
        "os.kill(-1, 9)",
        "os._exit(0)",
        "os.closerange(3, 64)",
        "os.abort()",
    ],
)
def test_who_attacks_the_template_is_blamed_and_gains_nothing(sandbox: Sandbox, attack: str) -> None:
    report = duel(
        sandbox, f"import os\ndef f(n):\n    {attack}\n    return sum(i * i for i in range(n))\n", limit_s=2.0
    )
    accused = by_side(report, 1)
    assert not any(sample.verdict is Verdict.ACCEPTED and sample.calls for sample in accused)
    assert accused or report.broken_off is not None
    if report.broken_off is not None:
        assert len(report.samples) == 1, "it ended in the first sample of the attacker, the second of all"


def test_the_template_cannot_be_looked_into(sandbox: Sandbox) -> None:
    """Neither its memory nor its descriptors: what the samples say goes through it."""
    rival = """
import os
def f(n):
    for name in ("mem", "fd/1", "environ", "maps"):
        try:
            os.close(os.open(f"/proc/{os.getppid()}/{name}", os.O_RDONLY))
        except OSError:
            continue
        return name
    return sum(i * i for i in range(n))
"""
    report = duel(sandbox, rival)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, report.samples[1].detail


def test_a_sample_that_takes_too_long_is_ended_by_itself(sandbox: Sandbox) -> None:
    report = duel(sandbox, "def f(n):\n    while True: pass\n", order=(0, 1, 0), limit_s=0.5)
    assert [sample.verdict for sample in report.samples] == [
        Verdict.ACCEPTED, Verdict.TIME_LIMIT, Verdict.ACCEPTED
    ]  # fmt: skip


def test_each_side_imports_its_own_module_and_shares_the_packages(sandbox: Sandbox) -> None:
    """A package from elsewhere is loaded in the template; the module under test in each sample, with its own text."""
    original = "import decimal, sys\nTEXT = 'original'\ndef f(n):\n    return str(decimal.Decimal(n) / 7)\n"
    rival = original.replace("'original'", "'rewrite'") + "assert 'decimal' in sys.modules\n"
    report = duel(sandbox, rival, original=original)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, report.samples[1].detail


def test_a_rival_that_does_not_compile_is_its_own_fault(sandbox: Sandbox) -> None:
    report = duel(sandbox, "def f(n: return 1")
    assert by_side(report, 0)[0].verdict is Verdict.ACCEPTED
    assert by_side(report, 1)[0].verdict is Verdict.COMPILE_ERROR
