"""Finds the project of a file and copies the project's own files to where the sandbox may see them.

Own files are what git tracks or does not ignore; outside a repository, the folder without dot files. Keys, `.env`
files and virtual environments are never among them, tracked or not. Nothing is read through a symbolic link.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.cancel import raise_if_cancelled
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.folders import absolute_path
from afterburner.sandbox.git import run_git
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_FILES = 50_000
MAX_BYTES = 1024**3
MAX_FILE_BYTES = 64 * 1024**2  # a larger file is data; it is left out and named
_MAX_NAMED = 100  # of the files that are left out
_TEST_FOLDERS = ("tests", "test")
_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")
_SECRET_NAMES = (
    *(".env*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.gpg", "*.tfstate*"),
    *(
        "id_rsa*",
        "id_dsa*",
        "id_ecdsa*",
        "id_ed25519*",
        "kubeconfig*",
        "service-account*.json",
        "service_account*.json",
    ),
    *("*.env", "*_key", "*.asc", "*.der", "*.p8", "*.jwk"),
    *("credentials", "credentials.*", "secrets", "secrets.*", ".vault*", "token.json", "client_secret*.json"),
)
_SECRET_FOLDERS = frozenset({".aws", ".azure", ".docker", ".gcloud", ".gnupg", ".kube", ".ssh", "secrets"})
_COPY_SUFFIXES = (".bak", ".old", ".orig", ".backup", ".save", "~")  # of a file that is kept beside its newer version
# Modules that a build writes beside the others and that git mostly ignores: without them a package cannot be imported.
_GENERATED = tuple(f":(glob)**/{name}.py" for name in ("_version", "version", "__version__"))
_FOREIGN_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
    }
)
_SYSTEM_FOLDERS = frozenset(
    f"/{name}"
    for name in (
        *("bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt"),
        *("proc", "run", "sbin", "srv", "sys", "tmp", "usr", "usr/local", "var"),
    )
)
_CODE_SUFFIXES = (".py", ".pyi", ".pyx")  # a module may well be called credentials.py


@dataclass(frozen=True, slots=True)
class StagedProject:
    """The copy of a project's own files.

    `binds` shows it read-only at the project's original path, `root`; `folder` is the copy on the host. `files` were
    copied; `left_out` says in words what was not and why.
    """

    binds: tuple[Bind, ...]
    files: int
    left_out: tuple[str, ...]
    root: Path
    folder: Path
    is_single_file: bool = False  # nothing but the target: its folder is no project but a home or a system folder

    def make_room(self, binds: Iterable[Bind]) -> None:
        """Put empty files and folders into the copy where something is to be bound inside the project.

        The project's `.venv` is the usual case: inside a read-only view no mount point can be made any more.
        """
        for bind in binds:
            destination = Path(bind.destination)
            if self.is_single_file or destination == self.root or not destination.is_relative_to(self.root):
                continue
            place = self.folder / destination.relative_to(self.root)
            self._clear_way_to(place)
            if os.path.lexists(place):
                continue
            if Path(bind.source).is_dir():
                place.mkdir(parents=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()

    def _clear_way_to(self, place: Path) -> None:
        """Remove a link from the copy that leads to no folder of it, such as a `.venv` that is kept elsewhere.

        Inside the sandbox it would lead nowhere, and here to the user's own files.
        """
        for part in reversed(place.relative_to(self.folder).parents):
            way = self.folder / part
            if way.is_symlink() and not (way.is_dir() and way.resolve().is_relative_to(self.folder.resolve())):
                way.unlink()


def find_project_root(path: str | Path) -> Path:
    """The folder that a file's project lives in; absolute, with symbolic links as they were given.

    It is the top of the git repository, else the nearest folder with a `pyproject.toml`, `setup.py` or `setup.cfg`,
    else the file's own folder. The search stops below the home folder. A file that lies in the home folder itself
    gets that as its root, of which `stage_project` then copies nothing else.
    """
    folder = absolute_path(path).parent
    candidates = [each for each in (folder, *folder.parents) if not _is_no_project(each)]
    for each in candidates:
        if os.path.lexists(each / ".git"):
            return each
    for each in candidates:
        if any((each / marker).is_file() for marker in _MARKERS):
            return each
    return folder


def find_root_of_folder(folder: str | Path) -> Path:
    """The project that a folder belongs to; absolute, with symbolic links as they were given.

    As of a file in it. Where nothing marks a project: the folder above its outermost package if tests lie there, else
    the folder itself.
    """
    folder = absolute_path(folder)
    found = find_project_root(folder / "any")
    if found != folder or any(os.path.lexists(folder / marker) for marker in (".git", *_MARKERS)):
        return found
    above = folder
    while (above / "__init__.py").is_file() and not _is_no_project(above.parent):
        above = above.parent
    return above if any((above / name).is_dir() for name in _TEST_FOLDERS) else folder


def list_project(root: Path) -> list[Path]:
    """The files that `stage_project` would copy of a project, absolute.

    Raises:
        UsageError: it is the home folder, or one that the system or all its users share.
    """
    root = absolute_path(root)
    if _is_no_project(root):
        raise UsageError(f"{root} is a home or a shared folder, not a project: name the folder of one project.")
    return [root / name for name in _own_files(root, []) if why_left_out(name) is None]


def stage_project(root: Path, destination: Path, target: Path, leave_out: Sequence[str] = ()) -> StagedProject:
    """Copy the project's own files into `destination`, which is made if need be.

    Args:
        root: the project, from `find_project_root`.
        destination: an empty folder of ours.
        target: the file that is to be optimised; it is copied whatever git says of it.
        leave_out: paths of files that are not copied unless git tracks them: they are no part of the project.

    Raises:
        UsageError: the project is too large, or the disk is full; the message says what to do.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    root = absolute_path(root)
    staging = _Staging(root, destination)
    target_name = Path(os.path.relpath(target, root))
    is_single_file = _is_no_project(root)
    unwanted = {name for name in _names_below(root, leave_out) if not is_tracked(root / name)}
    destination.mkdir(parents=True, exist_ok=True)
    try:
        staging.copy(target_name, is_target=True)
        if is_single_file:
            staging.left_out.append(f"everything else in {root}: only a folder for the project itself is copied")
        else:
            own = list(_own_files(root, staging.left_out))
            for name in (*own, *_generated_modules(root, own)):
                if name in unwanted:
                    staging.left_out.append(f"{name}: a result is written there")
                elif name != target_name:
                    staging.copy(name)
    except OSError as error:
        raise UsageError(f"The project at {root} cannot be copied for the sandbox: {error}.") from error
    shown = target_name if is_single_file else ""
    bind = Bind(str(destination / shown), str(root / shown))
    return StagedProject(
        (bind,), staging.files, tuple(staging.left_out[:_MAX_NAMED]), root, destination, is_single_file=is_single_file
    )


def _names_below(root: Path, paths: Sequence[str]) -> set[Path]:
    """Those of the paths that lie in the project, relative to its root."""
    real_root = root.resolve()
    return {
        path.relative_to(folder)
        for each in paths
        for path, folder in ((absolute_path(each), root), (Path(each).resolve(), real_root))
        if path.is_relative_to(folder) and path != folder
    }


def replace_in_copy(project: StagedProject, name: Path, data: bytes) -> None:
    """Let a file of the copy hold something else. A link becomes a file: it may lead back to the user's own.

    Args:
        project: that was copied.
        name: of the file, relative to the root; it need not be there.
        data: what it is to hold.

    Raises:
        UsageError: a folder on the way is a symbolic link that leads out of the copy.
    """
    place = project.folder / name
    if not place.parent.resolve().is_relative_to(project.folder.resolve()):
        raise UsageError(f"{project.root / name} lies behind a symbolic link; name the project that it is in.")
    place.parent.mkdir(parents=True, exist_ok=True)
    is_program = os.access(place, os.X_OK)
    place.unlink(missing_ok=True)
    place.write_bytes(data)
    place.chmod(0o755 if is_program else 0o644)


@dataclass(slots=True)
class _Staging:
    """Copies one file after the other and counts."""

    root: Path
    destination: Path
    files: int = 0
    size: int = 0
    left_out: list[str] = field(default_factory=list)
    _real_folders: dict[Path, bool] = field(default_factory=lambda: {Path(): True})

    def copy(self, name: Path, *, is_target: bool = False) -> None:
        """Copy what lies at `name`, relative to the root, if it is a file or a link and may be copied."""
        raise_if_cancelled()
        if os.pardir in name.parts:
            raise UsageError(f"{self.root / name} does not lie in the project {self.root}.")
        reason = None if is_target else why_left_out(name)
        if reason is None and not self._is_in_real_folder(name.parent):
            reason = "its folder is a symbolic link"
        if reason is None:
            reason = self._copy(self.root / name, self.destination / name, is_target=is_target)
        if reason is not None:
            self.left_out.append(f"{name}: {reason}")

    def _copy(self, source: Path, destination: Path, *, is_target: bool) -> str | None:
        try:
            status = source.stat() if is_target else source.lstat()
        except FileNotFoundError:
            return None  # git still lists what was deleted
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
            return None if stat.S_ISDIR(status.st_mode) else "it is not a regular file"
        if status.st_size > MAX_FILE_BYTES:
            return f"it is larger than {MAX_FILE_BYTES // 1024**2} MiB"
        self._count(status.st_size)
        destination.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISLNK(status.st_mode):
            destination.symlink_to(source.readlink())
            return None
        return _copy_regular(source, destination, status.st_mode, follow=is_target)

    def _count(self, size: int) -> None:
        self.files += 1
        self.size += size
        if self.files > MAX_FILES or self.size > MAX_BYTES:
            raise UsageError(
                f"The project at {self.root} is too large for the sandbox: more than {MAX_FILES:,} files or "
                f"{MAX_BYTES // 1024**3} GiB. Let git ignore what the code does not need, or put the file and what it "
                "imports into a folder of their own."
            )

    def _is_in_real_folder(self, folder: Path) -> bool:
        """Whether no part of a relative folder is a symbolic link, through which the copy would leave the project."""
        if folder not in self._real_folders:
            is_link = (self.root / folder).is_symlink()
            self._real_folders[folder] = not is_link and self._is_in_real_folder(folder.parent)
        return self._real_folders[folder]


def _copy_regular(source: Path, destination: Path, mode: int, *, follow: bool) -> str | None:
    """Copy a file that was regular a moment ago; a pipe in its place now must not make us wait."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(source, flags)
    except PermissionError:
        return "it may not be read"
    with os.fdopen(descriptor, "rb") as reading, destination.open("xb") as writing:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "it is not a regular file"
        shutil.copyfileobj(reading, writing, 1 << 20)
    destination.chmod(0o755 if mode & 0o111 else 0o644)
    return None


def why_left_out(name: Path) -> str | None:
    """Why a file of a project is never copied, by its name relative to the root; None if it may be."""
    *folders, last = (part.lower() for part in name.parts)
    while last.endswith(_COPY_SUFFIXES):
        last = last.removesuffix(next(suffix for suffix in _COPY_SUFFIXES if last.endswith(suffix)))
    is_code = last.endswith(_CODE_SUFFIXES)
    # A package may be called secrets; what is in the others is never code.
    if any(folder in _SECRET_FOLDERS and not (is_code and folder == "secrets") for folder in folders):
        return "such folders hold keys"
    if any(fnmatch.fnmatchcase(last, pattern) for pattern in _SECRET_NAMES) and not is_code:
        return "such files hold keys"
    if any(folder in _FOREIGN_FOLDERS for folder in folders):
        return "it is not the project's own"
    return None


def _own_files(root: Path, left_out: list[str]) -> Iterator[Path]:
    """Relative names of the project's files, from git or from the disk."""
    listed = _git_files(root) if os.path.lexists(root / ".git") else None
    if listed is None:
        yield from _files_below(root, root, left_out)
        return
    environments = _Environments(root)
    for name in listed:
        if environments.hold(name):
            continue
        path = root / name
        if path.is_dir() and not path.is_symlink():  # a submodule, or a repository inside the repository
            yield from (name / inner for inner in _git_files(path) or ())
        else:
            yield name


def _generated_modules(root: Path, listed: Sequence[Path]) -> Iterator[Path]:
    """Modules that git ignores and that importing a package may need: what its build wrote beside its own modules."""
    packages = {name.parent for name in listed if name.suffix == ".py"}
    if not os.path.lexists(root / ".git"):
        return  # everything is listed there
    ignored = _git_files(root, "--others", "--ignored", "--exclude-standard", "--", *_GENERATED) or ()
    yield from (name for name in ignored if name.parent in packages)


def add_generated_modules(root: Path, tree: Path) -> tuple[str, ...]:
    """Put such modules of a project beside those of a revision of it, which importing it may need, too.

    Args:
        root: the project.
        tree: the files of the revision; what is there stays.

    Returns:
        What could not be copied, and why.

    Raises:
        UsageError: the disk is full, or the tree cannot be written.
    """
    staging = _Staging(root, tree)
    try:
        for name in _generated_modules(root, _git_files(root) or ()):
            folder = (tree / name).parent
            is_there = folder.is_dir() and folder.resolve().is_relative_to(tree.resolve())
            if is_there and not os.path.lexists(tree / name):
                staging.copy(name)
    except OSError as error:
        raise UsageError(f"The project at {root} cannot be copied for the sandbox: {error}.") from error
    return tuple(staging.left_out)


def is_tracked(path: Path) -> bool:
    """Whether git tracks a file in the innermost repository around it, or cannot tell."""
    top = next((folder for folder in path.parents if os.path.lexists(folder / ".git")), None)
    if top is None:
        return False
    listed = _git_files(top, "--cached", "--", f":(literal){path.relative_to(top)}")
    return listed is None or bool(listed)


def _git_files(root: Path, *which: str) -> list[Path] | None:
    """What git tracks or does not ignore, or as `which` says; None if git cannot tell.

    An index made by hand may name what lies outside.
    """
    try:
        done = run_git(root, "ls-files", "-z", *(which or ("--cached", "--others", "--exclude-standard")))
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done is None or done.returncode != 0:
        return None
    names = {Path(os.fsdecode(name)) for name in done.stdout.split(b"\0") if name}
    return sorted(name for name in names if not name.is_absolute() and os.pardir not in name.parts)


class _Environments:
    """Knows the folders that are virtual environments, however they are called."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, bool] = {Path(): False}

    def hold(self, name: Path) -> bool:
        """Whether a file lies in such a folder."""
        folder = name.parent
        if folder not in self._known:
            self._known[folder] = self.hold(folder) or is_python_environment(self._root / folder)
        return self._known[folder]


def is_python_environment(folder: Path) -> bool:
    """Whether a folder is a virtual environment or one of conda's."""
    return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir()


def _files_below(root: Path, folder: Path, left_out: list[str]) -> Iterator[Path]:
    """Files of a folder and the folders in it, without dot files."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except PermissionError:
        left_out.append(f"{folder.relative_to(root)}: it may not be read")
        return
    raise_if_cancelled()
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield Path(entry.path).relative_to(root)
        elif entry.name not in _FOREIGN_FOLDERS and not is_python_environment(Path(entry.path)):
            yield from _files_below(root, Path(entry.path), left_out)


def _is_no_project(folder: Path) -> bool:
    """Whether a folder is the home folder, one above it, or one that the system or all its users share."""
    homes = _homes()
    if folder == Path(folder.anchor) or folder.as_posix() in _SYSTEM_FOLDERS:
        return True
    if any(home.is_relative_to(folder) for home in homes):
        return True
    try:
        return bool(folder.stat().st_mode & stat.S_ISVTX)  # as /tmp: everyone's files lie in it
    except OSError:
        return False


def _homes() -> tuple[Path, ...]:
    try:
        home = Path.home()
    except RuntimeError:  # no home is known
        return ()
    return home, home.resolve()
