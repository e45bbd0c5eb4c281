"""The patch applies with the tools that people have; writing is all or nothing; readability is counted."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.code.patch import patch_bytes, readability, unified_diff, write_atomically
from afterburner.agent.errors import TargetChangedError
from afterburner.agent.types import Readability
from afterburner.sandbox import AfterburnerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOBODY = 65534
_TOOLS = {
    "git apply": ["git", "apply", "--whitespace=nowarn"],
    "patch": ["patch", "-p1", "--no-backup-if-mismatch", "-i"],
}
_BODY = "def before():\n    return 0\n\n\ndef f():\n    return 'é'\n\n\ndef after():\n    return 2\n"


def _apply(tool: str, root: Path, patch: bytes) -> None:
    """Apply a patch as a user would, from the project's root."""
    file = root.parent / "change.patch"
    file.write_bytes(patch)
    environment = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(root.parent), "LC_ALL": "C.UTF-8"}
    done = subprocess.run([*_TOOLS[tool], str(file)], cwd=root, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.parametrize("tool", _TOOLS)
@pytest.mark.parametrize(
    "name", ["module.py", "pkg/deep/module.py", "my file.py", "naïve λ.py", 'a"b\\c.py', "tab\tit.py"]
)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_BODY, _BODY.replace("'é'", "'ü'")),
        (_BODY.replace("\n", "\r\n"), _BODY.replace("'é'", "'ü'").replace("\n", "\r\n")),
        (_BODY.rstrip(), _BODY.replace("'é'", "'ü'").rstrip()),
        (_BODY.rstrip().replace("\n", "\r\n"), _BODY.replace("return 2", "return 3").rstrip().replace("\n", "\r\n")),
        (_BODY, _BODY.replace("return 2", "return '\f\u2028'\n    # more")),
        (_BODY.rstrip(), "import re\n" + _BODY),
    ],
    ids=["lf", "crlf", "no-last-newline", "crlf-no-last-newline", "odd-line-separators", "two-places"],
)
def test_the_patch_applies(tmp_path: Path, tool: str, name: str, old: str, new: str) -> None:
    if not shutil.which(_TOOLS[tool][0]):
        pytest.skip(f"{_TOOLS[tool][0]} is not installed")
    root = tmp_path / "project"
    path = root / name
    path.parent.mkdir(parents=True)
    (root / "pyproject.toml").touch()
    path.write_bytes(old.encode())
    target = find_target(path, "f")
    assert target.project_root == str(root)
    patch = unified_diff(target, new)
    _apply(tool, root, patch_bytes(target, patch))
    assert path.read_bytes() == new.encode()
    assert sorted(p for p in root.rglob("*") if p.is_file()) == sorted([path, root / "pyproject.toml"])


@pytest.mark.parametrize("tool", _TOOLS)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_the_patch_applies_to_files_of_other_encodings(tmp_path: Path, tool: str, encoding: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").touch()
    path = root / "module.py"
    old = "# coding: latin-1\n" + _BODY if encoding == "latin-1" else _BODY
    path.write_bytes(old.encode(encoding))
    target = find_target(path, "f")
    new = old.replace("'é'", "'ü'").replace("return 0", "return 1")
    _apply(tool, root, patch_bytes(target, unified_diff(target, new)))
    assert path.read_bytes() == new.encode(encoding)


def test_no_change_is_no_patch(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(_BODY)
    target = find_target(tmp_path / "module.py", "f")
    assert unified_diff(target, target.source) == ""
    assert unified_diff(target, _BODY.replace("0", "1")).startswith(
        "--- a/module.py\n+++ b/module.py\n@@ -1,5 +1,5 @@\n"
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that an ordinary user can reach, and may not write to when the test says so."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


@pytest.fixture
def as_ordinary_user(folder: Path) -> Iterator[None]:
    """Root may write anywhere, so root becomes somebody else meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, _NOBODY, _NOBODY)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_writing_keeps_the_mode_and_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_bytes(b"\xef\xbb\xbfdef f():\r\n    return 1\r\n")
    path.chmod(0o751)
    target = find_target(path, "f")
    write_atomically(target, target.source.replace("1", "2"))
    assert path.read_bytes() == b"\xef\xbb\xbfdef f():\r\n    return 2\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "real" / "module.py", tmp_path / "link.py"
    real.parent.mkdir()
    real.write_text(_BODY)
    link.symlink_to(real)
    target = find_target(link, "f")
    write_atomically(target, "x = 1\n")
    assert link.is_symlink()
    assert real.read_text() == "x = 1\n"


@pytest.mark.parametrize("change", ["edited", "line-ends", "gone", "a-folder"])
def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path, change: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(_BODY)
    target = find_target(path, "f")
    if change in {"gone", "a-folder"}:
        path.unlink()
    if change == "a-folder":
        path.mkdir()
    elif change != "gone":
        path.write_bytes((_BODY + "# mine\n").encode() if change == "edited" else _BODY.replace("\n", "\r\n").encode())
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(TargetChangedError, match="changed since it was read"):
        write_atomically(target, "x = 1\n")
    assert (path.read_bytes() if path.is_file() else None) == before
    assert [p for p in tmp_path.iterdir() if p != path] == []


@pytest.mark.usefixtures("as_ordinary_user")
def test_a_read_only_folder_or_file_is_an_error_for_people(folder: Path) -> None:
    path = folder / "module.py"
    path.write_text(_BODY)
    target = find_target(path, "f")
    path.chmod(0o444)
    with pytest.raises(AfterburnerError, match="read-only"):
        write_atomically(target, "x = 1\n")
    path.chmod(0o644)
    folder.chmod(0o555)
    with pytest.raises(AfterburnerError, match=r"cannot be written: Permission denied\. It is unchanged") as caught:
        write_atomically(target, "x = 1\n")
    assert not isinstance(caught.value, UsageError)
    assert path.read_text() == _BODY
    folder.chmod(0o755)
    assert list(folder.iterdir()) == [path]


def test_text_that_the_encoding_lacks_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_bytes(b"# coding: ascii\nx = 1\n")
    target = replace(find_target(path, None, whole_program=True), encoding="ascii")
    with pytest.raises(AfterburnerError, match="ascii"):
        write_atomically(target, "x = 'é'\n")
    assert path.read_bytes() == b"# coding: ascii\nx = 1\n"


@pytest.mark.parametrize(
    ("old", "new", "cost"),
    [
        ("x = 1\n", "x = 1\n", Readability(0, 0, 0)),
        ("x = 1\n", "x = 1\r\n", Readability(0, 0, 0)),
        ("x = 1\n", "x = 2\ny = 3\n", Readability(2, 1, 0)),
        ("x = [a for a in b if a]\n", "x = list(b)\n", Readability(1, 1, -2)),
        ("pass\n", "for a in b:\n    if a and b or c:\n        pass\n", Readability(3, 1, 4)),
        ("pass\n", "try:\n    pass\nexcept E:\n    pass\n", Readability(4, 1, 1)),
        ("pass\n", "match a:\n    case 1:\n        pass\n    case _:\n        pass\n", Readability(5, 1, 2)),
    ],
)
def test_readability_counts_lines_and_branches(old: str, new: str, cost: Readability) -> None:
    assert readability(old, new) == cost
