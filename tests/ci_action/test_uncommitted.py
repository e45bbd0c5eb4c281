"""Files of the checkout that are not those of the commit: a report that measures the checkout names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from repositories import NAMES, Repository

from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.ci_action.measuring import measure
from afterburner.ci_action.options import CiOptions
from afterburner.ci_action.report.document import Mode
from afterburner.ci_action.repository import head_alone, open_repository
from afterburner.ci_action.uncommitted import uncommitted_files, uncommitted_note

if TYPE_CHECKING:
    from pathlib import Path

HELPER = "def helper():\n    return 1\n"


def found(repository: Repository, *apart_from: Path) -> list[str]:
    with open_repository(repository.folder) as opened:
        return uncommitted_files(opened, head_alone(opened).head, apart_from)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.make(tmp_path / "project")
    made.branch("feature")
    made.commit({"shop/names.py": NAMES.replace("if name]", "if name != '']"), "shop/helper.py": HELPER})
    return made


@pytest.mark.parametrize(
    ("mode", "is_noted"), [(Mode.OPTIMIZE, True), (Mode.SCHEDULE, True), (Mode.REGRESSIONS, False)]
)
def test_a_report_that_measures_the_checkout_names_what_no_commit_has(
    repository: Repository, mode: Mode, *, is_noted: bool
) -> None:
    (repository.folder / "shop" / "helper.py").write_text("def helper():\n    return 2\n", encoding="ascii")

    def interrupt(event: ProgressEvent) -> None:
        if event.kind is EventKind.PROFILING_PROJECT:
            raise KeyboardInterrupt

    document = measure(CiOptions(repository.folder, mode, base="main"), interrupt).document
    note = f"shop/helper.py is not as in {repository.head[:10]}: what was measured has its uncommitted changes"
    assert (note in document.notes) == is_noted


def test_a_clean_checkout_has_none_and_untracked_files_are_no_matter(repository: Repository) -> None:
    (repository.folder / "new.py").write_text(HELPER, encoding="ascii")
    (repository.folder / "shop" / "helper.py").touch()
    assert found(repository) == []


def test_changed_deleted_added_and_replaced_files_are_found(repository: Repository) -> None:
    shop = repository.folder / "shop"
    (shop / "helper.py").unlink()
    (shop / "names.py").write_text("changed", encoding="ascii")
    (shop / "__init__.py").unlink()
    (shop / "__init__.py").symlink_to("names.py")
    (shop / "added.py").write_text(HELPER, encoding="ascii")
    (repository.folder / "tests" / "test_names.py").write_text("changed", encoding="ascii")
    repository.git("add", "shop/added.py", "tests")
    all_of_them = ["shop/__init__.py", "shop/added.py", "shop/helper.py", "shop/names.py", "tests/test_names.py"]
    assert found(repository) == all_of_them
    assert found(repository, shop) == ["tests/test_names.py"], "what the command writes is apart"


def test_line_ends_are_no_change(repository: Repository) -> None:
    (repository.folder / "shop" / "helper.py").write_bytes(HELPER.replace("\n", "\r\n").encode())
    assert found(repository) == []


def test_what_a_sparse_checkout_leaves_out_is_not_missing(repository: Repository) -> None:
    repository.git("sparse-checkout", "set", "--no-cone", "/shop/")
    assert not (repository.folder / "tests").exists()
    assert found(repository) == []


def test_files_that_git_converts_are_passed_over_and_no_filter_starts(repository: Repository, tmp_path: Path) -> None:
    trap, mark = tmp_path / "trap", tmp_path / "it-ran"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    repository.commit({".gitattributes": "helper.py filter=evil\n"})
    repository.git("config", "filter.evil.clean", str(trap))
    for name in ("helper.py", "names.py"):
        (repository.folder / "shop" / name).write_text("changed", encoding="ascii")
    assert found(repository) == ["shop/names.py"]
    assert not mark.exists()


def test_of_many_files_three_are_named(repository: Repository) -> None:
    with open_repository(repository.folder) as opened:
        head = head_alone(opened).head
        note = uncommitted_note(["a.py", "b.py", "c.py", "d.py", "e.py"], head)
    commit = repository.head[:10]
    assert note == (
        f"a.py, b.py, c.py and 2 more are not as in {commit}: what was measured has their uncommitted changes"
    )
