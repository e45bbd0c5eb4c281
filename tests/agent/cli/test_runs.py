"""The list of stored runs, as a pipe gets it."""

from __future__ import annotations

from io import StringIO

from afterburner.agent.cli.runs import print_list
from afterburner.agent.store.stored_run import KeptRun, RunState
from afterburner.sandbox.terminal.console import open_console


def test_a_pipe_gets_each_run_on_one_line() -> None:
    file = f"/srv/{'a-long-name/' * 20}names.py"
    kept = [
        KeptRun(f"20260101-120000-{number:06}", RunState.FINISHED, 0.0, file, "Class.function", "m", "improved", 2.0, 1)
        for number in range(2)
    ]
    stream = StringIO()
    print_list(open_console(stream), kept)
    head, *lines = stream.getvalue().splitlines()
    assert head.split() == ["run", "begun", "file", "function", "model", "state", "decision", "gain"]
    assert len(lines) == len(kept)
    for run, line in zip(kept, lines, strict=True):
        assert line.split()[0] == run.run_id
        assert file in line
