"""What is shown and written when a run has finished: real files, hand-made results."""

from __future__ import annotations

import io
import json
import pickle
import re
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.code.patch import unified_diff
from afterburner.agent.errors import TargetChangedError
from afterburner.agent.types import Decision
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

OLD, NEW = "def total():\n    return 1 + 1\n", "def total():\n    return 2\n"


def on_disk(result: RunResult, folder: Path, encoding: str = "utf-8", old: str = OLD, new: str = NEW) -> RunResult:
    """Give the result with a real file as its target."""
    path = folder / "report.py"
    path.write_bytes(old.encode(encoding))
    target = replace(
        result.target, path=str(path), source=old, encoding=encoding, import_root=str(folder), project_root=str(folder)
    )
    if not result.improved:
        return replace(result, target=target, best_source=old)
    return replace(result, target=target, best_source=new, patch=unified_diff(target, new))


def source(result: RunResult) -> str:
    return Path(result.target.path).read_text("utf-8")


def test_nothing_is_written_unless_asked(
    improved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = on_disk(improved, tmp_path)
    deliver(result, settings, Outputs())
    assert source(result) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["report.py"]
    shown = capsys.readouterr()
    assert re.search(r"is unchanged\. This writes the rewrite:\n    afterburner-agent resume \S+ --apply\n", shown.out)
    assert shown.err == ""
    assert "\x1b" not in shown.out


def test_apply_patch_and_json_are_written_without_a_question_where_nobody_can_answer(
    improved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = on_disk(improved, tmp_path)
    patch, document = tmp_path / "x.patch", tmp_path / "x.json"
    deliver(result, settings, Outputs(apply=True, patch=str(patch), json=str(document)))
    assert source(result) == NEW
    assert patch.read_text("utf-8") == result.patch
    assert json.loads(document.read_text("utf-8"))["offer"]["applied"] is True
    assert "Written to" in capsys.readouterr().out


def test_without_an_improvement_only_the_json_is_written(
    unimproved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = on_disk(unimproved, tmp_path)
    patch, document = tmp_path / "x.patch", tmp_path / "x.json"
    deliver(result, settings, Outputs(apply=True, patch=str(patch), json=str(document)))
    assert source(result) == OLD
    assert not patch.exists()
    assert json.loads(document.read_text("utf-8"))["decision"] == "no_improvement"
    assert "No patch was written: there is nothing to offer." in capsys.readouterr().out
    deliver(result, settings, Outputs(apply=True))
    assert f"{Path(result.target.path).name} is unchanged: there is nothing to offer." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "decision", "is_told"),
    [
        ("rules", Decision.NOT_BETTER, True),
        ("rules", Decision.WRONG, False),
        ("replay:a", Decision.NOT_BETTER, False),
    ],
)
def test_where_the_rules_find_nothing_better_the_next_step_is_told(
    unimproved: RunResult, settings: RunSettings, *, model: str, decision: Decision, is_told: bool
) -> None:
    candidates = tuple(replace(each, decision=decision) for each in unimproved.candidates)
    assert candidates
    with redirect_stdout(io.StringIO()) as told:
        deliver(replace(unimproved, model=model, candidates=candidates), settings, Outputs())
    assert ("`--model NAME` asks a language model" in " ".join(told.getvalue().split())) is is_told
    assert ("give calls of the size that counts with --calls." in told.getvalue()) is is_told


def test_below_the_threshold_the_diff_is_shown_and_nothing_is_written(
    improved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = on_disk(improved, tmp_path)
    patch, document = tmp_path / "x.patch", tmp_path / "x.json"
    strict = replace(settings, proof=replace(settings.proof, min_gain_per_line=100.0))
    deliver(result, strict, Outputs(apply=True, yes=True, patch=str(patch), json=str(document)))
    assert source(result) == OLD
    assert not patch.exists()
    told = json.loads(document.read_text("utf-8"))
    assert (told["decision"], told["offer"]["offered"], told["offer"]["applied"]) == ("improved", False, False)
    shown = capsys.readouterr().out
    assert "not offered: gain per added line" in shown
    assert "+    return 2" in shown


@pytest.mark.parametrize("option", ["json", "patch"])
def test_stdout_carries_only_what_a_program_reads(
    improved: RunResult, settings: RunSettings, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    result = on_disk(improved, tmp_path)
    deliver(result, settings, Outputs(json="-") if option == "json" else Outputs(patch="-"))
    shown = capsys.readouterr()
    assert "Improved" in shown.err
    if option == "json":
        assert json.loads(shown.out)["patch"] == result.patch
    else:
        assert shown.out == result.patch


def test_a_file_that_changed_meanwhile_is_kept_and_the_results_are_not_lost(
    improved: RunResult, settings: RunSettings, tmp_path: Path
) -> None:
    result = on_disk(improved, tmp_path)
    Path(result.target.path).write_text("# mine\n", encoding="utf-8")
    patch, document = tmp_path / "x.patch", tmp_path / "x.json"
    with pytest.raises(TargetChangedError, match=r"report\.py"):
        deliver(result, settings, Outputs(apply=True, patch=str(patch), json=str(document)))
    assert source(result) == "# mine\n"
    assert patch.exists()
    assert json.loads(document.read_text("utf-8"))["offer"]["applied"] is False


def test_a_patch_that_cannot_be_written_leaves_the_file_and_costs_no_result(
    improved: RunResult, settings: RunSettings, tmp_path: Path
) -> None:
    result = on_disk(improved, tmp_path)
    document = tmp_path / "x.json"
    outputs = Outputs(apply=True, yes=True, patch=str(tmp_path / "gone" / "x.patch"), json=str(document))
    with pytest.raises(AfterburnerError, match=r"--patch .*x\.patch: cannot be written"):
        deliver(result, settings, outputs)
    assert source(result) == OLD
    told = json.loads(document.read_text("utf-8"))
    assert (told["decision"], told["offer"]["applied"]) == ("improved", False)


def test_files_keep_their_encoding_and_line_ends(improved: RunResult, settings: RunSettings, tmp_path: Path) -> None:
    old, new = "# coding: latin-1\r\nx = 'é'\r\n", "# coding: latin-1\r\ny = 'é'\r\n"
    result = on_disk(improved, tmp_path, "latin-1", old, new)
    patch = tmp_path / "x.patch"
    deliver(result, settings, Outputs(apply=True, patch=str(patch)))
    assert Path(result.target.path).read_bytes() == b"# coding: latin-1\r\ny = '\xe9'\r\n"
    assert b"+y = '\xe9'\r\n" in patch.read_bytes()


DELIVERING = """
import pickle
from pathlib import Path
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.cli.deliver import deliver

def deliver_it(data: str, yes: bool = False) -> None:
    result, settings = pickle.loads(Path(data).read_bytes())
    deliver(result, settings, Outputs(apply=True, yes=yes, json=data + ".json"))
"""


@pytest.fixture
def delivery(
    improved: RunResult, settings: RunSettings, tmp_path: Path, register: Callable[[str, str, str], None]
) -> tuple[RunResult, Path]:
    """Give a result, and the file from which the command `deliver` takes it."""
    register("deliver", "deliver_plugin:deliver_it", DELIVERING)
    result = on_disk(improved, tmp_path)
    data = tmp_path / "data"
    data.write_bytes(pickle.dumps((result, settings)))
    return result, data


@pytest.mark.parametrize(
    ("answer", "written"), [("y\r", True), ("YES\r", True), ("n\r", False), ("\r", False), ("\x04", False)]
)
def test_a_person_on_a_terminal_is_asked_before_their_file_is_written(
    program: CommandLine, delivery: tuple[RunResult, Path], answer: str, written: bool
) -> None:
    result, data = delivery
    with program.on_terminal("deliver", str(data)) as terminal:
        terminal.expect(r"Write the rewrite to .*report.py\? \[y/N\] ")
        assert source(result) == OLD
        terminal.send(answer)
        terminal.expect("Written to" if written else "Nothing was written to")
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 0
    assert source(result) == (NEW if written else OLD)
    assert json.loads(Path(f"{data}.json").read_text("utf-8"))["offer"]["applied"] is written


def test_an_interrupt_at_the_question_writes_nothing(program: CommandLine, delivery: tuple[RunResult, Path]) -> None:
    result, data = delivery
    with program.on_terminal("deliver", str(data)) as terminal:
        terminal.expect(r"\[y/N\] ")
        terminal.send("\x03")
        terminal.expect("interrupted")
        terminal.expect(pexpect.EOF)
        terminal.wait()
    assert terminal.exitstatus == 130
    assert source(result) == OLD


def test_yes_answers_the_question(program: CommandLine, delivery: tuple[RunResult, Path]) -> None:
    result, data = delivery
    with program.on_terminal("deliver", str(data), "--yes") as terminal:
        terminal.expect(pexpect.EOF)
        shown = str(terminal.before)
    assert "[y/N]" not in shown
    assert "\x1b[32m" in shown  # the diff is in colour
    assert source(result) == NEW


def test_no_terminal_no_question(program: CommandLine, delivery: tuple[RunResult, Path]) -> None:
    result, data = delivery
    done = program("deliver", str(data))
    assert done.returncode == 0
    assert "[y/N]" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout
    assert source(result) == NEW


def test_a_reader_that_goes_away_does_not_cost_the_results(
    program: CommandLine, delivery: tuple[RunResult, Path]
) -> None:
    result, data = delivery
    with program.start("deliver", str(data)) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait(timeout=30) == 1
    assert source(result) == NEW
    assert json.loads(Path(f"{data}.json").read_text("utf-8"))["offer"]["applied"] is True
