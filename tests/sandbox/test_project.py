"""What of a project the sandbox may see."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from afterburner.sandbox import Bind, Program, Sandbox, TestCase, UsageError
from afterburner.sandbox import project as project_module
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.project import (
    StagedProject,
    add_generated_modules,
    find_project_root,
    list_project,
    replace_in_copy,
    stage_project,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "my project"
    folder.mkdir()
    return folder


def fill(root: Path, *names: str) -> Path:
    """Files with a comment in them; the path of the first."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"# " + os.fsencode(name))
    return root / names[0]


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def stage(root: Path, target: Path) -> tuple[StagedProject, set[str]]:
    """The staged project, and the relative names of what was copied."""
    copy = root.parent / "copy"
    staged = stage_project(root, copy, target)
    return staged, {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_symlink() or not path.is_dir()}


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@needs_git
def test_in_a_repository_what_git_ignores_stays_out(root: Path) -> None:
    target = fill(root, "pkg/a.py", "pkg/new.py", "build/out.o", "notes.txt", ".gitignore", ".hidden", "gone.py")
    (root / ".gitignore").write_text("build/\n")
    git(root, "init", "-q")
    git(root, "add", "pkg/a.py", "gone.py")
    (root / "gone.py").unlink()
    staged, copied = stage(root, target)
    assert copied == {"pkg/a.py", "pkg/new.py", "notes.txt", ".gitignore", ".hidden"}
    assert (staged.files, staged.left_out) == (5, ())
    assert staged.binds == (Bind(str(root.parent / "copy"), str(root)),)


@needs_git
def test_modules_that_a_build_wrote_are_copied_although_git_ignores_them(root: Path) -> None:
    ignored = ("pkg/_version.py", "pkg/conversion.py", "build/lib/pkg/_version.py", "docs/version.py")
    target = fill(root, "pkg/a.py", "docs/index.md", ".gitignore", *ignored)
    (root / ".gitignore").write_text("\n".join((*ignored, "build/")))
    git(root, "init", "-q")
    git(root, "add", "pkg/a.py", "docs/index.md", ".gitignore")
    _, copied = stage(root, target)
    assert copied == {"pkg/a.py", "docs/index.md", ".gitignore", "pkg/_version.py"}
    assert root / "pkg/_version.py" not in list_project(root)
    for text in ("# pkg/_version.py", "of the revision"):
        tree = root.parent / text.replace("/", "-")
        fill(tree, "pkg/a.py")
        if text == "of the revision":
            (tree / "pkg/_version.py").write_text(text)
        assert add_generated_modules(root, tree) == ()
        assert {str(path.relative_to(tree)) for path in tree.rglob("*.*")} == {"pkg/a.py", "pkg/_version.py"}
        assert (tree / "pkg/_version.py").read_text() == text


def test_outside_a_repository_dot_files_and_environments_stay_out(root: Path) -> None:
    target = fill(
        root, "a.py", "sub/b.py", ".hidden", ".cache/c", "env/pyvenv.cfg", "env/lib/x.py", "node_modules/m.js"
    )
    _, copied = stage(root, target)
    assert copied == {"a.py", "sub/b.py"}


SECRETS = (
    *("prod.env", "deploy_key", "release.asc", "cert.der", "server.pem.bak", "api.key~", "secrets/db.json", "app.p8"),
    *(".env", ".env.local", "deploy/server.pem", "id_rsa", "id_ed25519.pub", "a.KEY", "store.p12", ".netrc", ".npmrc"),
    *(".pypirc", "credentials.json", "Secrets.yaml", ".aws/config", ".ssh/known_hosts", "main.tfstate"),
)


@needs_git
def test_keys_stay_out_even_if_they_are_tracked(root: Path) -> None:
    target = fill(
        root, "a.py", *SECRETS, "secrets/view.py", "secrets.py", "credentials.py", "environment.py", "keys.py"
    )
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    staged, copied = stage(root, target)
    assert copied == {"a.py", "secrets/view.py", "secrets.py", "credentials.py", "environment.py", "keys.py"}
    assert {line.split(":")[0] for line in staged.left_out} == set(SECRETS)


@needs_git
def test_environments_stay_out_even_if_they_are_tracked(root: Path) -> None:
    target = fill(root, "a.py", "odd name/pyvenv.cfg", "odd name/lib/deep/x.py", "conda/conda-meta/h", "conda/lib/y.py")
    git(root, "init", "-q")
    git(root, "add", "-f", ".")
    assert stage(root, target)[1] == {"a.py"}


def test_results_are_no_part_of_the_project_wherever_they_are_named_from(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = fill(root, "a.py", "sub/out.json", "sub/kept.json", "patches/01.patch", "b.py")
    (root.parent / "alias").symlink_to(root)
    monkeypatch.chdir(root / "sub")
    named = ("out.json", str(root.parent / "alias" / "patches"), str(root.parent / "elsewhere.json"), str(root))
    copy = root.parent / "copy"
    staged = stage_project(root, copy, target, named)
    copied = {str(path.relative_to(copy)) for path in copy.rglob("*") if not path.is_dir()}
    assert copied == {"a.py", "b.py", "patches/01.patch", "sub/kept.json"}, "a folder hides nothing that lies in it"
    assert staged.left_out == ("sub/out.json: a result is written there",)


@needs_git
def test_a_result_that_git_tracks_is_a_part_of_the_project(root: Path) -> None:
    target = fill(root, "a.py", "rates.json", "sub/[x].json", "new.json")
    git(root, "init", "-q")
    git(root, "add", "a.py", "rates.json", "sub")
    copy = root.parent / "copy"
    staged = stage_project(
        root, copy, target, [str(root / name) for name in ("rates.json", "sub/[x].json", "new.json")]
    )
    copied = {str(path.relative_to(copy)) for path in copy.rglob("*") if not path.is_dir()}
    assert copied == {"a.py", "rates.json", "sub/[x].json"}
    assert staged.left_out == ("new.json: a result is written there",)


@needs_git
def test_links_are_kept_but_never_followed(root: Path) -> None:
    secret = fill(root.parent, "outside/secret.txt", "outside/deep/secret.txt")
    target = fill(root, "a.py", "inside.txt", "folder/secret.txt", "folder/deep/secret.txt")
    (root / "link.txt").symlink_to("inside.txt")
    (root / "leak.txt").symlink_to(secret)
    (root / "leaks").symlink_to(secret.parent)
    git(root, "init", "-q")
    git(root, "add", ".")
    shutil.rmtree(root / "folder")  # git still lists the files in it
    (root / "folder").symlink_to(secret.parent)
    staged, copied = stage(root, target)
    assert copied == {"a.py", "inside.txt", "link.txt", "leak.txt", "leaks", "folder"}
    for name in ("link.txt", "leak.txt", "leaks", "folder"):
        assert (staged.folder / name).is_symlink()
    assert staged.left_out == (
        "folder/deep/secret.txt: its folder is a symbolic link",
        "folder/secret.txt: its folder is a symbolic link",
    )


def test_the_target_itself_may_be_a_link(root: Path) -> None:
    real = fill(root.parent, "elsewhere.py")
    (root / "a.py").symlink_to(real)
    staged, _ = stage(root, root / "a.py")
    assert (staged.folder / "a.py").read_text() == "# elsewhere.py"


@needs_git
@pytest.mark.parametrize("repository", [True, False])
def test_names_may_hold_anything(root: Path, *, repository: bool) -> None:
    names = [
        "a b.py",
        "new\nline.py",
        "ünï.py",
        "-dash.py",
        "quo\"te'.py",
        "tab\t.py",
        "*.py",
        os.fsdecode(b"\xff\xfe.py"),
    ]
    target = fill(root, *names)
    if repository:
        git(root, "init", "-q")
    assert stage(root, target)[1] == set(names)


def test_what_is_no_file_is_left_out_and_nothing_waits_for_it(root: Path) -> None:
    target = fill(root, "a.py", "deep/b.py")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)  # the path of a socket may not be long
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        staged, copied = stage(root, target)
    assert copied == {"a.py", "deep/b.py"}
    assert staged.left_out == ("pipe: it is not a regular file", "socket: it is not a regular file")


def test_large_files_are_left_out_and_large_projects_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = fill(root, "a.py", "data.bin")
    with (root / "data.bin").open("wb") as file:
        file.truncate(project_module.MAX_FILE_BYTES + 1)
    staged, copied = stage(root, target)
    assert copied == {"a.py"}
    assert staged.left_out == ("data.bin: it is larger than 64 MiB",)
    monkeypatch.setattr(project_module, "MAX_FILES", 3)
    fill(root, *(f"{number}.py" for number in range(3)))
    with pytest.raises(UsageError, match="too large for the sandbox: more than 3 files"):
        stage_project(root, root.parent / "second", target)


def test_only_the_file_is_taken_from_a_home_or_a_shared_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root))
    target = fill(root, "a.py", "private.txt", ".ssh/id_rsa", "pyproject.toml", ".git/config")
    assert find_project_root(target) == root
    staged, copied = stage(root, target)
    assert copied == {"a.py"}
    assert staged.binds == (Bind(str(staged.folder / "a.py"), str(target)),)
    assert any("everything else" in line for line in staged.left_out)
    monkeypatch.setenv("HOME", "/nonexistent")
    shared = root / "shared"
    target = fill(shared, "a.py", "of_others.txt")
    shared.chmod(0o1777)
    assert [bind.destination for bind in stage_project(shared, root.parent / "other", target).binds] == [str(target)]


def test_the_root_is_the_repository_then_the_marked_folder_then_the_own(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = fill(root, "src/pkg/a.py")
    assert find_project_root(target) == root / "src/pkg"
    assert find_project_root(str(target)) == root / "src/pkg"
    fill(root, "src/setup.cfg")
    assert find_project_root(target) == root / "src"
    (root / ".git").write_text("gitdir: elsewhere\n")
    assert find_project_root(target) == root
    monkeypatch.setenv("HOME", str(root))
    assert find_project_root(target) == root / "src"
    monkeypatch.chdir(root / "src")
    assert find_project_root("pkg/a.py") == root / "src"


@needs_git
def test_a_repository_cannot_make_git_run_or_read_anything(root: Path) -> None:
    outside = fill(root.parent, "outside/secret.txt").parent
    target = fill(root, "a.py")
    git(root, "init", "-q")
    git(root, "add", ".")
    trap = root.parent / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{root.parent / 'sprung'}'\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "alias.ls-files", "filter.f.clean"):
        git(root, "config", key, str(trap))
    git(root, "config", "core.worktree", str(outside))
    git(root, "config", "core.hooksPath", str(root.parent))
    fill(root, ".gitattributes")
    (root / ".gitattributes").write_text("* filter=f\n")
    _, copied = stage(root, target)
    assert copied == {"a.py", ".gitattributes"}
    assert not (root.parent / "sprung").exists()


@needs_git
def test_an_index_made_by_hand_names_nothing_outside(root: Path) -> None:
    target = fill(root, "a.py", "x/b.py", "yy/c.py")
    fill(root.parent, "c.py")
    git(root, "init", "-q")
    git(root, "add", ".")
    index = root / ".git" / "index"
    data = index.read_bytes()[:-20].replace(b"x/b.py", b"/x/.py").replace(b"yy/c.py", b"../c.py")
    index.write_bytes(data + hashlib.sha1(data, usedforsecurity=False).digest())
    (root / ".git" / "info" / "exclude").write_text("x/\nyy/\n")
    assert stage(root, target)[1] == {"a.py"}
    assert list_project(root) == [target]


@needs_git
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("remote.origin.uploadpack", "touch '{mark}'; git-upload-pack"),
        ("remote.origin.url", "ext::touch {mark}"),
        ("core.sshCommand", "touch '{mark}';"),
    ],
)
def test_what_a_partial_clone_lacks_is_not_fetched(root: Path, key: str, value: str) -> None:
    """Git would fetch it with a command that the repository names, to list what a sparse index leaves out."""
    target = fill(root, "a.py", "in/b.py", "out/c.py")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "m")
    git(root, "clone", "-q", "--bare", ".", str(root.parent / "remote"))
    git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    lacking = subprocess.run(["git", "rev-parse", "HEAD:out"], cwd=root, check=True, capture_output=True, text=True)
    name = lacking.stdout.strip()
    (root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    mark = root.parent / "sprung"
    for each in ("core.repositoryFormatVersion=1", "extensions.partialClone=origin", "protocol.ext.allow=always"):
        git(root, "config", *each.split("="))
    git(root, "config", "remote.origin.url", "ssh://x/y" if key.startswith("core") else str(root.parent / "remote"))
    git(root, "config", key, value.format(mark=mark))
    assert "a.py" in stage(root, target)[1]
    assert not mark.exists()


@needs_git
def test_worktrees_and_submodules_are_part_of_it(root: Path) -> None:
    library = root.parent / "library"
    library.mkdir()
    fill(library, "lib.py")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "m")
    fill(root, "a.py")
    git(root, "init", "-q")
    git(root, "submodule", "add", "-q", str(library), "vendored")
    git(root, "add", ".")
    git(root, "commit", "-qm", "m")
    assert {"a.py", "vendored/lib.py"} <= stage(root, root / "a.py")[1]
    tree = root.parent / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    assert find_project_root(tree / "a.py") == tree
    second = stage_project(tree, root.parent / "of tree", tree / "a.py")
    assert (second.folder / "a.py").is_file()
    assert not (second.folder / ".git").exists()


def test_the_sandbox_shows_the_copy_at_the_original_path_read_only(root: Path, sandbox: Sandbox) -> None:
    target = fill(root, "pkg/__init__.py", "pkg/helper.py", ".env")
    (root / "pkg/helper.py").write_text("VALUE = 5\n")
    staged, _ = stage(root, target)
    own = own_environment()
    environment = type(own)(own.executable, own.version, (*own.binds, *staged.binds), (str(root),), str(root / "pkg"))
    source = """
import os
from pkg.helper import VALUE
print(VALUE, os.getcwd(), sorted(os.listdir("..")))
try:
    open("new.txt", "w")
except OSError as error:
    print(error.strerror)
"""
    report = sandbox.run(Program("python", source, environment=environment), [TestCase()])
    assert report.cases[0].stdout.decode() == f"5 {root}/pkg ['pkg']\nRead-only file system\n", report.cases[0].stderr


def test_what_is_replaced_in_the_copy_is_never_the_users_own_file(root: Path) -> None:
    """A link with an absolute path leads from the copy to the project."""
    target = fill(root, "app.py", "lib/util.py")
    (root / "tools").mkdir()
    (root / "tools" / "util.py").symlink_to(root / "lib" / "util.py")
    (root / "run.py").write_text("#!/usr/bin/env python3\n")
    (root / "run.py").chmod(0o755)
    staged, copied = stage(root, target)
    assert "tools/util.py" in copied
    for name in ("tools/util.py", "lib/util.py", "run.py", "new.py"):
        replace_in_copy(staged, Path(name), b"x = 1\n")
        assert (staged.folder / name).read_bytes() == b"x = 1\n"
        assert not (staged.folder / name).is_symlink()
    assert (root / "lib" / "util.py").read_bytes() == b"# lib/util.py"
    assert os.access(staged.folder / "run.py", os.X_OK)
    (staged.folder / "out").symlink_to(root / "lib")
    with pytest.raises(UsageError, match="behind a symbolic link"):
        replace_in_copy(staged, Path("out/util.py"), b"x = 2\n")
    assert (root / "lib" / "util.py").read_bytes() == b"# lib/util.py"
