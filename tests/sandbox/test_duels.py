"""Two sides of a comparison in forks of one template: what is measured, and what the sides cannot do to one another."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.driver.call_blobs import dump_call
from afterburner.sandbox.duels import Duel
from afterburner.sandbox.interpreter import python_environment

if TYPE_CHECKING:
    from pathlib import Path

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
    """Samples that run alone, one after the other."""
    return taken(sandbox, rival, tuple((side,) for side in order), original=original, limit_s=limit_s)


def taken(
    sandbox: Sandbox,
    rival: str,
    groups: tuple[tuple[int, ...], ...],
    *,
    original: str = ORIGINAL,
    limit_s: float = 5.0,
    call_by_call: bool = False,
    most_s: float = 20.0,
) -> DuelReport:
    program = Program("python", original, ENTRY)
    [case] = sandbox.run(program, [CallCase(CALLS)]).cases
    expected = tuple(outcome.encoded for outcome in case.outcomes)
    watched = tuple(number for number, group in enumerate(groups) if len(group) == 1)
    asked = Duel((rival,), CallCase(CALLS, expected), groups, limit_s, watched, call_by_call=call_by_call)
    return sandbox.duel(program, asked, Limits(most_s, most_s), cpu=divide_cores().slots[-1])


HANG_S = 3.0  # what a sample may take where one hangs: the others need a small part of it


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
        ("import json\njson.dumps = lambda *_: '[]'", "patched: json.dumps"),
        ("import json\njson.JSONEncoder.encode = lambda *_: '[]'", "patched: json.encoder.JSONEncoder.encode"),
        ("import builtins\nbuiltins.sorted = builtins.zip = lambda *_, **__: []", "patched: builtins.sorted"),
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


@pytest.mark.sampled(2)
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
    rival = f"import os\ndef f(n):\n    {attack}\n    return sum(i * i for i in range(n))\n"
    report = taken(sandbox, rival, ((0,), (1,), (1,), (0,)), limit_s=2.0, most_s=10.0)
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


@pytest.mark.slow
def test_a_sample_that_takes_too_long_is_ended_by_itself(sandbox: Sandbox) -> None:
    report = duel(sandbox, "def f(n):\n    while True: pass\n", order=(0, 1, 0), limit_s=HANG_S)
    assert [sample.verdict for sample in report.samples] == [
        Verdict.ACCEPTED, Verdict.TIME_LIMIT, Verdict.ACCEPTED
    ]  # fmt: skip


def test_each_side_imports_its_own_module_and_shares_the_packages(sandbox: Sandbox) -> None:
    """A package from elsewhere is loaded in the template; the module under test in each sample, with its own text."""
    original = "import decimal, sys\nTEXT = 'original'\ndef f(n):\n    return str(decimal.Decimal(n) / 7)\n"
    rival = original.replace("'original'", "'rewrite'") + "assert 'decimal' in sys.modules\n"
    report = duel(sandbox, rival, original=original)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, report.samples[1].detail


def test_clocks_stand_still_for_a_package_that_asked_for_the_time_when_it_was_imported(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """The interpreter remembers the methods that it has looked up, and the template has imported the package before."""
    folder = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    [packages] = folder.glob("lib/python*/site-packages")
    asking = (
        "from datetime import datetime\ndef now():\n    return datetime.now(), datetime.utcnow(), datetime.today()\n"
    )
    (packages / "early.py").write_text(
        f"import warnings\nwarnings.simplefilter('ignore')\n{asking}[now() for _ in range(99)]\n"
    )
    environment = python_environment(sandbox, folder / "bin" / "python")
    source = f"import early\n{asking}def f(n):\n    return [each.isoformat() for each in (*early.now(), *now())]\n"
    program = Program("python", source, entry=ENTRY, environment=environment)
    [case] = sandbox.run(program, [CallCase(CALLS, fixed_clock=True)]).cases
    assert case.verdict is Verdict.ACCEPTED, case.detail
    expected = tuple(outcome.encoded for outcome in case.outcomes)
    asked = Duel((source,), CallCase(CALLS, expected, fixed_clock=True), ((0,), (1,)), 5.0)
    report = sandbox.duel(program, asked, Limits(20.0, 20.0), cpu=divide_cores().slots[-1])
    assert report.broken_off is None
    assert [(sample.verdict, sample.detail) for sample in report.samples] == [(Verdict.ACCEPTED, "")] * 2


def test_a_rival_that_does_not_compile_is_its_own_fault(sandbox: Sandbox) -> None:
    report = duel(sandbox, "def f(n: return 1")
    assert by_side(report, 0)[0].verdict is Verdict.ACCEPTED
    assert by_side(report, 1)[0].verdict is Verdict.COMPILE_ERROR


TOGETHER = ((0, 1), (1, 0))


@pytest.mark.parametrize("call_by_call", [False, True])
def test_samples_that_run_together_are_judged_each_by_itself(sandbox: Sandbox, call_by_call: bool) -> None:
    wrong = ORIGINAL.replace("n))", "n)) + (n == 3000)")
    for rival, verdict in ((ORIGINAL, Verdict.ACCEPTED), (wrong, Verdict.WRONG_ANSWER)):
        report = taken(sandbox, rival, TOGETHER, call_by_call=call_by_call)
        assert report.broken_off is None
        assert [(sample.side, sample.group) for sample in report.samples] == [(0, 0), (1, 0), (1, 1), (0, 1)]
        assert [sample.verdict for sample in by_side(report, 0)] == [Verdict.ACCEPTED] * 2
        assert [sample.verdict for sample in by_side(report, 1)] == [verdict] * 2


def test_samples_at_once_queue_for_one_core(sandbox: Sandbox) -> None:
    """So the kernel lets them have it in turns, and whatever slows it down for a while slows down both."""
    long = ORIGINAL.replace("range(n)", "range(500 * n)")
    report = taken(sandbox, long, TOGETHER, original=long)
    for sample in report.samples:
        assert sample.verdict is Verdict.ACCEPTED, sample.detail
        assert sample.queued_s > sample.process_cpu_s / 4
        assert sample.process_wall_s > 1.25 * sample.process_cpu_s


def test_call_by_call_only_one_goes_on_at_a_time(sandbox: Sandbox) -> None:
    waiting = "import time\ndef f(n):\n    time.sleep(0.05)\n    return n\n"
    report = taken(sandbox, waiting, ((0, 1),), original=waiting, call_by_call=True)
    for sample in report.samples:
        assert sample.verdict is Verdict.ACCEPTED, sample.detail
        assert sample.calls is not None
        assert sample.process_wall_s > 2 * len(CALLS) * 0.05, "it waits for the calls of the other, too"
        assert sample.calls.wall_time_s < sample.process_wall_s - 0.9 * len(CALLS) * 0.05, "which is no part of its own"


@pytest.mark.parametrize(
    ("body", "call_by_call"),
    [
        *itertools.product(["import os; os._exit(0)", "import os; os.abort()", "raise SystemExit"], [False, True]),
        pytest.param("while True: pass", True, marks=[pytest.mark.slow, pytest.mark.nightly]),
        pytest.param("while True: pass", False, marks=[pytest.mark.slow, pytest.mark.nightly]),
    ],
)
def test_who_dies_or_hangs_in_a_group_does_not_take_the_other_along(
    sandbox: Sandbox, body: str, call_by_call: bool
) -> None:
    rival, groups = f"def f(n):\n    {body}\n", ((0, 1), (0,), (1, 0))
    report = taken(sandbox, rival, groups, limit_s=HANG_S, call_by_call=call_by_call, most_s=10 * HANG_S)
    original, rival, alone, rival_again, original_again = report.samples
    assert rival_again.verdict is not Verdict.ACCEPTED
    assert (original_again.verdict is Verdict.ACCEPTED) == (not (call_by_call and "while" in body))
    assert alone.verdict is Verdict.ACCEPTED, alone.detail
    assert rival.verdict is not Verdict.ACCEPTED
    if not (call_by_call and "while" in body):  # who has the turn and never hands it on does keep the other waiting,
        assert original.verdict is Verdict.ACCEPTED, original.detail
    else:  # but it is plain who it was
        assert original.verdict is Verdict.TIME_LIMIT
        assert len(rival.outcomes) < len(original.outcomes)


@pytest.mark.parametrize("call_by_call", [False, True])
def test_samples_that_run_together_cannot_look_into_each_other(sandbox: Sandbox, call_by_call: bool) -> None:
    """Neither into memory and descriptors, nor do they get at what another writes."""
    rival = """
import os, stat, time
def f(n):
    time.sleep(0.02)
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) not in (1, os.getpid()) and n == 2000:  # later on it may have ended
            for name in ("mem", "environ", "maps", "fd/1", "fd/3"):
                try:
                    os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY))
                except OSError:
                    continue
                return name
    pipes = [each for each in range(3, 64) if is_pipe(each)]  # for frames and stderr, and to and from its neighbours
    return sum(i * i for i in range(n)) if len(pipes) <= 4 else pipes
def is_pipe(descriptor):
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
"""
    slow = ORIGINAL.replace("    return", "    import time; time.sleep(0.02)\n    return")
    report = taken(sandbox, rival, TOGETHER, original=slow, call_by_call=call_by_call)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, by_side(report, 1)[0].detail


@pytest.mark.slow
def test_who_stops_the_other_gains_nothing(sandbox: Sandbox) -> None:
    rival = """
import os, signal
def f(n):
    for pid in os.listdir("/proc"):
        if pid.isdigit() and int(pid) not in (1, os.getpid(), os.getppid()):
            os.kill(int(pid), signal.SIGSTOP)
    return sum(i * i for i in range(n))
"""
    slow = ORIGINAL.replace("    return", "    import time; time.sleep(0.05)\n    return")
    report = taken(sandbox, rival, ((0, 1), (0,)), original=slow, limit_s=HANG_S)
    assert report.samples[0].verdict is Verdict.TIME_LIMIT
    assert report.samples[0].calls is None
    assert report.samples[2].verdict is Verdict.ACCEPTED, report.samples[2].detail


@pytest.mark.parametrize("call_by_call", [False, True])
@pytest.mark.parametrize("body", ["raise ValueError", "import os; os._exit(3)", "import os; os.abort()"])
def test_who_dies_before_its_first_call_keeps_nobody_waiting(sandbox: Sandbox, body: str, call_by_call: bool) -> None:
    report = taken(sandbox, f"{ORIGINAL}{body}\n", ((0, 1), (1, 0)), limit_s=20.0, call_by_call=call_by_call)
    assert [sample.verdict for sample in by_side(report, 0)] == [Verdict.ACCEPTED] * 2
    assert all(sample.verdict is not Verdict.ACCEPTED for sample in by_side(report, 1))
    assert all(sample.process_wall_s < 20.0 for sample in report.samples)


def test_a_process_that_one_leaves_behind_does_not_keep_the_other_waiting(sandbox: Sandbox) -> None:
    """It holds the pipe of the turns open, which tells nobody that they may go on."""
    leaves = "import os\nif os.fork() == 0:\n    import time\n    time.sleep(60)\n" + ORIGINAL
    report = taken(sandbox, leaves, TOGETHER, original=leaves, limit_s=20.0, call_by_call=True)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, report.samples[1].detail
    assert all(sample.process_wall_s < 20.0 for sample in report.samples)
    for sample in by_side(report, 1):
        assert any(each.startswith("processes") for each in sample.complaints), "of two it is not the original's"


HANDS_ON = """
    there, here = os.pipe()
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            os.write(here, str(sum(i * i for i in range(n))).encode())
        os._exit(0)
    os.waitpid(middle, 0)
    os.close(here)
    total = int(os.read(there, 100))
    os.read(there, 1)
    time.sleep(0.02)
    os.close(there)
    return total
"""
NOT_WAITED_FOR = """
    there, here = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        os.write(here, str(sum(i * i for i in range(n))).encode())
        os._exit(0)
    os.close(here)
    total = int(os.read(there, 100))
    os.read(there, 1)
    time.sleep(0.05)  # the pipe is closed before the process is over
    os.close(there)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return total
"""
IN_A_THREAD = """
    found = []
    thread = threading.Thread(target=lambda: found.append(sum(i * i for i in range(n))))
    thread.start()
    thread.join()
    return found[0]
"""


@pytest.mark.parametrize("groups", [((0,), (1,)), ((0, 1), (1, 0))])
@pytest.mark.parametrize(
    ("body", "tasks", "is_told"),
    [(HANDS_ON, 2, True), (NOT_WAITED_FOR, 1, False), (IN_A_THREAD, 1, False)],
    ids=["handed on", "not waited for", "thread"],
)
def test_who_works_where_its_cpu_time_is_not_counted_is_told_of(
    sandbox: Sandbox, groups: tuple[tuple[int, ...], ...], body: str, tasks: int, is_told: bool
) -> None:
    """A process whose parent ends first, or ignores its end, is in no account of CPU time; the kernel numbers it."""
    report = taken(sandbox, f"import os, signal, threading, time\ndef f(n):{body}", groups)
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * len(report.samples), report
    assert {sample.tasks for sample in by_side(report, 0)} == {0}
    assert {sample.tasks for sample in by_side(report, 1)} == {tasks * len(CALLS)}
    for sample in by_side(report, 1):
        assert (f"processes: {len(CALLS)} were left or handed on" in sample.complaints) == is_told


def test_a_turn_that_was_forged_spoils_the_sample(sandbox: Sandbox) -> None:
    forges = """
import os, stat
def f(n):
    for descriptor in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and descriptor != 5:
                os.set_blocking(descriptor, False)
                os.write(descriptor, b"ttt")
        except OSError:
            continue
    return sum(i * i for i in range(n))
"""
    report = taken(sandbox, forges, TOGETHER, limit_s=2.0, call_by_call=True)
    for group in (0, 1):
        verdicts = {sample.verdict for sample in report.samples if sample.group == group}
        assert verdicts != {Verdict.ACCEPTED}
