"""`runs`, `show` and `resume` as a person meets them: a run that is interrupted, looked at, and gone on with."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.cli.runs_document import UnfinishedDocument

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

SLOW = """\
def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    for size in (700, 800, 900, 1000):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""


@pytest.fixture
def file(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    path = program.home / "names.py"
    path.write_text(SLOW, encoding="utf-8")
    return path


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(words)


@pytest.mark.floor
@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_stands(program: CommandLine, file: Path) -> None:
    program, hold = program.held()
    run = program.start("run", "names.py", "--iterations=1", "--apply", "--json=result.json", "--html=page.html")
    read_until(run, "profile: timing")
    run.send_signal(signal.SIGINT)
    _, told = run.communicate()
    assert run.returncode == 130
    [stored] = json.loads(program("runs", "--json", "-").stdout)["runs"]
    assert (stored["state"], stored["target"]["function"], stored["decision"]) == ("interrupted", "common", None)
    assert f"`afterburner-agent resume {stored['run_id']}` continues this run." in told
    shown = program("show", "latest")
    assert "interrupted  names.py common: iteration 1, nothing better yet" in shown.stdout
    unfinished = UnfinishedDocument.model_validate_json(program("show", "latest", "--json", "-").stdout, strict=True)
    assert (unfinished.state, unfinished.kind, unfinished.run_id) == ("interrupted", "one", stored["run_id"])
    assert unfinished.used_s

    file.write_text(SLOW + "# changed\n", encoding="utf-8")
    refused = program("resume", "latest")
    assert refused.returncode == 1
    assert "names.py was changed since run" in refused.stderr
    file.write_text(SLOW, encoding="utf-8")

    elsewhere = program.home / "elsewhere"
    elsewhere.mkdir()
    first = program.start("resume", "latest")
    read_until(first, "resuming run")
    second = program("resume", "latest", folder=elsewhere)
    assert (second.returncode, "another process" in second.stderr) == (1, True), second.stderr
    assert " running " in program("runs").stdout
    assert "running  names.py common" in program("show", stored["run_id"][:15]).stdout
    hold.unlink()
    first.communicate()
    assert first.returncode == 0
    document = json.loads((program.home / "result.json").read_text("utf-8"))
    assert document["decision"] == "improved", document["summary"]
    assert document["run_id"] == stored["run_id"]
    assert document["offer"]["applied"]
    rewritten = file.read_text("utf-8")
    assert rewritten != SLOW

    again = program("resume", "latest", "--patch", "-", folder=elsewhere)
    assert (again.returncode, again.stdout) == (0, document["patch"])
    assert "measuring" not in again.stderr
    repeated = program("resume", "latest")
    assert repeated.returncode == 0, "the file already holds the rewrite"
    assert file.read_text("utf-8") == rewritten
    page = (program.home / "page.html").read_text("utf-8")
    assert program("resume", "latest", "--html", "-").stdout == page, "a finished run keeps its samples"
    shown = program("show", "latest")
    assert "Improved  names.py common" in shown.stdout
    shown_document = json.loads(program("show", "latest", "--json", "-").stdout)
    document["offer"]["applied"] = False  # that is told by who applies it
    assert shown_document == document
    assert " finished " in program("runs").stdout


def test_without_runs_there_is_nothing_to_show(program: CommandLine) -> None:
    listed = program("runs")
    assert (listed.returncode, listed.stdout) == (0, "No run is stored. `afterburner-agent run FILE` starts one.\n")
    assert json.loads(program("runs", "--json", "-").stdout) == {"schema": 1, "runs": []}
    for words in (("show", "latest"), ("resume", "latest", "--quiet")):
        done = program(*words)
        assert done.returncode == 2
        assert done.stderr.startswith("error: No run is stored.")


def test_a_run_without_usable_inputs_is_not_kept(program: CommandLine, sandbox: Sandbox) -> None:  # noqa: ARG001
    (program.home / "alone.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    assert program("run", "alone.py", "--function", "f").returncode == 4
    assert json.loads(program("runs", "--json", "-").stdout)["runs"] == []


@pytest.mark.slow
@pytest.mark.nightly
def test_a_run_that_was_interrupted_may_get_more_time(program: CommandLine, file: Path) -> None:  # noqa: ARG001 - staged
    program, hold = program.held()
    run = program.start("run", "names.py", "--iterations", "1", "--max-seconds", "200", "--json", "result.json")
    read_until(run, "profile: timing")
    run.kill()
    run.communicate()
    hold.unlink()
    no_more = program("resume", "latest", "--max-seconds", "200")
    assert (no_more.returncode, "a budget of 200 s already" in no_more.stderr) == (2, True), no_more.stderr
    done = program("resume", "latest", "--max-seconds", "400")
    assert done.returncode in {0, 3}, done.stderr
    document = json.loads((program.home / "result.json").read_text("utf-8"))
    assert document["settings"]["search"]["max_seconds"] == 400
    over = program("resume", "latest", "--max-seconds", "800")
    assert (over.returncode, "is finished and cannot continue" in over.stderr) == (2, True), over.stderr
