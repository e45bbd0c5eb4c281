"""What a trace holds, and where it cannot be written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.cli import trace_option
from afterburner.agent.cli.plugins import OWN_COMMANDS
from afterburner.agent.cli.trace_file import trace_bytes
from afterburner.agent.events import EventKind, ProgressEvent, Stage
from afterburner.agent.stage_times import StageClock
from afterburner.sandbox.tracing import SANDBOX, STEPS, Recorder, Span, recorder, recording, span

from .traces import read_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine

WORKING = '''
"""Works for a moment."""
from afterburner.sandbox.tracing import SANDBOX, span

def work(how: str) -> None:
    with span(SANDBOX, "judge"):
        if how == "badly":
            raise KeyboardInterrupt
'''


def test_spans_of_threads_and_jobs_that_overlap_get_rows_of_their_own() -> None:
    spans = [
        Span(SANDBOX, "a", "judge", 100, 900, {"cases": 3}),
        Span(SANDBOX, "a", "run", 200, 900, {}),
        Span(SANDBOX, "b", "duel", 500, 700, {"step": "confirm: confirming"}),
        Span(SANDBOX, "c", "judge", 900, 950, {}),
        Span("core 10", "a", "run", 200, 200, {}),
        Span("core 2", "a", "run", 200, 300, {"share": 0.5}),
        Span(STEPS, "shop.py::f 1", "prepare: staging", 0, 400, {}),
    ]
    process, *tracks = read_trace(trace_bytes(Recorder(spans, started_ns=0)))
    assert process.name.startswith("afterburner-agent ")
    assert [track.name for track in tracks] == ["steps", "sandbox", "sandbox (2)", "core 2", "core 10"]
    assert [(each.name, each.begin_ns, each.end_ns, each.depth) for each in tracks[1].spans] == [
        ("judge", 100, 900, 0),
        ("run", 200, 900, 1),
        ("judge", 900, 950, 0),
    ]
    assert tracks[1].spans[0].facts == {"cases": 3}
    assert [each.name for each in tracks[2].spans] == ["duel"]
    assert tracks[4].spans[0].end_ns > tracks[4].spans[0].begin_ns


def test_what_runs_is_recorded_with_the_step_that_it_is_for() -> None:
    seconds = iter(range(100))
    clock = StageClock("/srv/secret/shop.py::Stock.value", "run-1", now_s=lambda: float(next(seconds)))
    with recording() as trace:
        clock.see(ProgressEvent(kind=EventKind.STAGING, subject="/srv/secret"))
        with span(SANDBOX, "judge"), span(SANDBOX, "run"):
            time.sleep(0)
        clock.see(ProgressEvent(kind=EventKind.JUDGED, stage=Stage.SELECT, detail="a reason"))
        clock.see(ProgressEvent(kind=EventKind.CONFIRMING, stage=Stage.CONFIRM, candidate="1.2", iteration=2))
        clock.see(ProgressEvent(kind=EventKind.STAGING))
        table = clock.stop()
    assert recorder() is None
    assert [(each.stage, each.step, each.times, each.seconds) for each in table] == [
        (Stage.PREPARE, EventKind.STAGING, 2, 2.0),
        (Stage.CONFIRM, EventKind.CONFIRMING, 1, 1.0),
    ], "an event in between ends no step"
    steps = [each for each in trace.spans if each.lane == STEPS]
    assert [each.name for each in steps] == ["prepare: staging", "confirm: confirming", "prepare: staging"]
    assert {each.row for each in steps} == {"shop.py::Stock.value run-1"}
    assert steps[1].facts == {"candidate": "1.2", "iteration": 2}
    run, judge = (each for each in trace.spans if each.lane == SANDBOX)
    assert (run.facts, judge.facts) == ({"within": "judge", "step": "prepare: staging"}, {"step": "prepare: staging"})
    assert b"secret" not in trace_bytes(trace), "no path goes into it"
    with span(SANDBOX, "judge"):
        pass
    assert len([each for each in trace.spans if each.lane == SANDBOX]) == 2, "nobody records any more"


@pytest.mark.parametrize(("how", "code"), [("well", 0), ("badly", 130)])
def test_a_command_leaves_its_trace_however_it_ends(
    how: str, code: int, program: CommandLine, register: Callable[[str, str, str], None]
) -> None:
    register("work", "work_plugin:work", WORKING)
    done = program("work", how, "--trace", "out.pftrace")
    assert done.returncode == code, done.stderr
    assert "trace: out.pftrace; open it in https://ui.perfetto.dev" in done.stderr
    [_, track] = read_trace((program.home / "out.pftrace").read_bytes())
    assert [each.name for each in track.spans] == ["judge"]


def test_what_cannot_be_a_trace_is_refused_before_any_work(
    program: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program.home / "names.py").write_text("x = 1\n")
    done = program("run", "names.py", "--trace", "names.py")
    assert done.returncode == 2
    assert "names.py: the name must end in .pftrace, so that no other file is overwritten" in done.stderr
    assert (program.home / "names.py").read_text() == "x = 1\n"
    done = program("run", "names.py", "--trace", "nowhere/x.pftrace")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
    monkeypatch.setattr(trace_option, "find_spec", lambda _: None)
    with pytest.raises(trace_option.UsageError, match=r"Install it: .*\[trace\]"):
        trace_option._begin(_Context(), None, str(tmp_path / "x.pftrace"))


class _Context:
    resilient_parsing = False


@pytest.mark.nightly
def test_every_command_that_works_takes_a_trace(program: CommandLine) -> None:
    idle = {"config", "doctor", "init", "runs", "show"}
    for name in [each.name for each in OWN_COMMANDS] + ["lsp", "mcp", "ci", "eval run", "train sft"]:
        told = program(*name.split(), "--help").stdout
        assert ("--trace" in told) == (name not in idle), name
