"""Destinations are checked before the long work and written after it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.cli.outputs import Outputs
from afterburner.sandbox import AfterburnerError, UsageError
from afterburner.sandbox.terminal.destinations import write_result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "slow.py"
    path.write_text("x = 1\n", encoding="utf-8")
    return path


def test_good_destinations_pass_and_are_left_alone(tmp_path: Path, target: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("{}", encoding="utf-8")
    new = tmp_path / "new.patch"
    Outputs(apply=True, patch=str(new), json=str(old)).check(target)
    Outputs(patch="-", json="/dev/null").check(target)
    assert old.read_text("utf-8") == "{}"
    assert not new.exists()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("missing/x.json", "no folder"), ("slow.py/x.json", "no folder"), (".", "a folder"), ("slow.py", "to optimise")],
)
def test_places_that_cannot_be_written_are_found_early(tmp_path: Path, target: Path, name: str, complaint: str) -> None:
    place = str(tmp_path / name)
    for outputs in (Outputs(patch=place), Outputs(json=place)):
        with pytest.raises(UsageError, match=complaint) as caught:
            outputs.check(target)
        assert place in str(caught.value)
        assert caught.value.exit_code == 2


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_the_target_is_recognised_under_another_name(
    tmp_path: Path, target: Path, link: Callable[[Path, Path], None]
) -> None:
    alias = tmp_path / "alias.json"
    link(alias, target)
    with pytest.raises(UsageError, match="to optimise"):
        Outputs(json=str(alias)).check(target)


def test_no_result_is_written_over_what_is_read(tmp_path: Path) -> None:
    recording = tmp_path / "answers.jsonl"
    recording.write_text("", encoding="utf-8")
    outputs = Outputs(json=str(recording), html="-")
    with pytest.raises(UsageError, match=r"--json .*answers.jsonl: --model replay: reads this file; name another one"):
        outputs.check_sources({"--calls": None, "--model replay:": str(recording)})
    outputs.check_sources({"--calls": str(tmp_path / "calls.py")})


def test_no_result_becomes_a_case(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    with pytest.raises(UsageError, match=r"--json .*1\.in: --cases reads this folder; name a file outside of it"):
        Outputs(json=str(cases / "1.in")).check_sources({"--cases": str(cases)})
    Outputs(json=str(tmp_path / "cases.json")).check_sources({"--cases": str(cases)})


def test_a_receipt_is_for_a_project_that_the_results_do_not_change(tmp_path: Path, target: Path) -> None:
    tracked, new = tmp_path / "results.json", tmp_path / "receipt.json"
    tracked.write_text("{}", encoding="utf-8")
    for arguments in (("init", "-q"), ("add", "results.json")):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
    Outputs(json=str(tracked)).check(target)
    Outputs(json=str(tmp_path / "others.json"), receipt=str(new)).check(target)
    for outputs in (Outputs(json=str(tracked), receipt=str(new)), Outputs(receipt=str(tracked))):
        with pytest.raises(UsageError, match="git tracks this file"):
            outputs.check(target)


def test_no_result_is_written_over_code(tmp_path: Path, target: Path) -> None:
    with pytest.raises(UsageError, match="this is a name of Python code"):
        Outputs(json=str(tmp_path / "calls.py")).check(target)


def test_two_results_need_two_places(tmp_path: Path, target: Path) -> None:
    with pytest.raises(UsageError, match="same place"):
        Outputs(patch="-", json="-").check(target)
    with pytest.raises(UsageError, match="same place"):
        Outputs(patch=str(tmp_path / "a"), json=str(tmp_path / "." / "a")).check(target)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that any user may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Ask for permissions as a user who is not root; access(2) goes by the real user id."""
    if os.geteuid() != 0:
        yield
        return
    os.setreuid(65534, 0)
    try:
        yield
    finally:
        os.setreuid(0, 0)


def test_missing_permissions_are_found_early(open_folder: Path) -> None:
    target = open_folder / "slow.py"
    target.write_text("x = 1\n", encoding="utf-8")
    locked, shared = open_folder / "locked", open_folder / "shared"
    locked.mkdir(mode=0o500)
    shared.mkdir()
    shared.chmod(0o777)
    with ordinary_user():
        Outputs(json=str(shared / "x.json")).check(target)
        with pytest.raises(UsageError, match="no permission"):
            Outputs(json=str(locked / "x.json")).check(target)
        target.chmod(0o444)
        with pytest.raises(UsageError, match="no permission"):
            Outputs(apply=True).check(target)


@pytest.mark.parametrize("name", ["x" * 300, "nul\0byte"])
def test_impossible_names_are_usage_errors(tmp_path: Path, target: Path, name: str) -> None:
    with pytest.raises(UsageError, match="--json"):
        Outputs(json=str(tmp_path / name)).check(target)


def test_a_missing_target_is_for_the_run_itself_to_report(tmp_path: Path) -> None:
    Outputs(apply=True).check(tmp_path / "none.py")


def test_results_are_written_byte_for_byte(tmp_path: Path) -> None:
    place = tmp_path / "x.patch"
    write_result("--patch", str(place), b"+n\xe9\r\n")
    assert place.read_bytes() == b"+n\xe9\r\n"


def test_a_place_that_vanished_meanwhile_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AfterburnerError, match=r"--json .*x\.json: cannot be written") as caught:
        write_result("--json", str(tmp_path / "gone" / "x.json"), b"{}")
    assert caught.value.exit_code == 1


def test_standard_output_can_be_taken_by_a_program(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert Outputs(json="-").take_stdout
    assert not Outputs(json="x", patch="y").take_stdout
    write_result("--patch", "-", b"+n\xe9\r\n")
    assert capfdbinary.readouterr().out == b"+n\xe9\r\n"
