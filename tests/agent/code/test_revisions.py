"""Trees of git revisions are written as git holds them, and a hostile repository gets nothing run by it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code import revisions
from afterburner.agent.code.revisions import export_tree
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What git says, as a committer of these tests."""
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "pkg").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "pkg" / "code.py").write_bytes(b"def f():\r\n    return 1\r\n")
    (root / ".coveragerc").write_text("[run]\n", encoding="utf-8")
    (root / ".env").write_text("KEY=1\n", encoding="utf-8")
    (root / "run.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    (root / "run.sh").chmod(0o755)
    (root / "inside").symlink_to("pkg/code.py")
    (root / "outside").symlink_to("/etc/passwd")
    (root / "above").symlink_to("pkg/../../secret")
    git(root, "add", "-f", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_a_revision_is_written_byte_for_byte(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    (repository / "pkg" / "code.py").write_text("def f():\n    return 2\n", encoding="utf-8")
    tree = export_tree(repository, "main", tmp_path / "tree")
    assert tree.commit == first
    assert (tmp_path / "tree" / "pkg" / "code.py").read_bytes() == b"def f():\r\n    return 1\r\n"
    assert (tmp_path / "tree" / ".coveragerc").is_file()
    assert (tmp_path / "tree" / "run.sh").stat().st_mode & 0o111
    assert (tmp_path / "tree" / "inside").is_symlink()


def test_keys_and_links_that_lead_out_are_left_out_and_named(repository: Path, tmp_path: Path) -> None:
    tree = export_tree(repository, "main", tmp_path / "tree")
    for name in (".env", "outside", "above"):
        assert not (tmp_path / "tree" / name).is_symlink()
        assert not (tmp_path / "tree" / name).exists()
        assert any(line.startswith(f"{name}: ") for line in tree.left_out), tree.left_out


def test_submodules_and_pointers_of_lfs_are_named(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{commit},vendored")
    (repository / "data.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "utf-8")
    git(repository, "add", "data.bin")
    git(repository, "commit", "-q", "-m", "second")
    left_out = "\n".join(export_tree(repository, "HEAD", tmp_path / "tree").left_out)
    assert "vendored: it is a submodule" in left_out
    assert "data.bin: git LFS keeps its content" in left_out


def test_nothing_of_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (repository / ".gitattributes").write_text("*.py filter=evil diff=evil export-subst\n", encoding="utf-8")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-q", "-m", "attributes")
    for key in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        git(repository, "config", key, f"touch {mark}")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        place = repository / ".git" / "hooks" / hook
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
        place.chmod(0o755)
    export_tree(repository, "HEAD", tmp_path / "tree")
    assert not mark.exists()


@pytest.mark.parametrize("revision", ["no-such-branch", "--output=x", "", "HEAD:pkg", "a\0b"])
def test_what_is_no_commit_is_refused_by_name(repository: Path, tmp_path: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="has no revision"):
        export_tree(repository, revision, tmp_path / "tree")
    with pytest.raises(UsageError, match="no git repository"):
        export_tree(tmp_path, "main", tmp_path / "tree")


def test_a_tree_that_stands_for_endless_files_is_refused(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree that holds one and the same tree many times is small in git, and huge once it is written."""
    monkeypatch.setattr(revisions, "MAX_LISTED", 1_000)
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    for _ in range(4):
        entries = "".join(f"040000 tree {tree}\tnode_modules{number}\n" for number in range(8))
        made = subprocess.run(
            ["git", "mktree"], cwd=repository, input=entries, check=True, capture_output=True, text=True
        )
        tree = made.stdout.strip()
    commit = git(repository, "commit-tree", tree, "-m", "many")
    with pytest.raises(UsageError, match="too large"):
        export_tree(repository, commit, tmp_path / "tree")
    assert not (tmp_path / "tree").exists()
