"""The folders that a client of the server may have something of run, read or written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from afterburner.agent import TrustQuestion, UsageError, project_of
from afterburner.agent.job.trust import trust_named_projects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.agent import TrustRequest


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders of one server, and which of them a client sees.

    Attributes:
        named: by `--root`; nothing outside of these is touched, whatever the client says.
        started_in: the folder that counts where neither names any.
        of_client: what the client names, as far as it can be used; None: it names none.
    """

    named: tuple[Path, ...]
    started_in: Path
    of_client: tuple[Path, ...] | None = None

    def seen_by(self, uris: Iterable[str]) -> Roots:
        """The same with the roots that a client names; those that are no folders of this machine are left out."""
        uris = list(uris)
        return Roots(self.named, self.started_in, tuple(filter(None, map(_folder_of, uris))) if uris else None)

    def folders(self) -> tuple[Path, ...]:
        """The folders that count.

        Raises:
            UsageError: there are none.
        """
        if self.of_client is None:
            if not self.named and _is_too_wide(self.started_in):
                raise UsageError(
                    f"The client names no roots, and {self.started_in}, where the server was started, is too wide to "
                    "be one. Start the server with --root DIR."
                )
            return self.named or (self.started_in,)
        usable = [each for each in self.of_client if self.named or not _is_too_wide(each)]
        if not usable:
            raise UsageError(
                "None of the roots that the client names can be used: they are no folders here, or too wide. Name the "
                "folder of a project, or start the server with --root DIR."
            )
        if not self.named:
            return tuple(usable)
        within = [each for each in usable if _is_in(each, self.named)]
        within += [each for each in self.named if _is_in(each, usable) and each not in within]
        if not within:
            raise UsageError(
                f"The roots of the client ({_listed(usable)}) and those of the server, by --root "
                f"({_listed(self.named)}), have nothing in common. Start the server with other roots."
            )
        return tuple(within)

    def find(self, path: str) -> Path:
        """The place that a client means: an absolute path, or one below a root. Links are followed.

        Raises:
            UsageError: it is outside of the roots, its project is, or it is not there.
        """
        folders = self.folders()
        try:
            places = [(folder / path).resolve() for folder in folders]
            inside = [each for each in places if _is_in(each, folders)]
            found = next((each for each in inside if each.exists()), None)
        except (OSError, ValueError) as error:  # too long, a loop of links, a null byte
            raise UsageError(f"{path!r:.200} cannot be a path: {error}. Give the path of a file.") from error
        if not inside:
            raise UsageError(f"{path} is outside of the roots: {_listed(folders)}. Ask for something in them.")
        if found is None:
            raise UsageError(f"{path} does not exist. The roots are {_listed(folders)}; give the absolute path.")
        project = project_of(found).resolve()
        if not _is_in(project, folders):
            raise UsageError(
                f"{path} belongs to the project {project}, which reaches outside of the roots ({_listed(folders)}). "
                "Make the project's folder a root."
            )
        return found

    def check_repository(self, project: Path) -> None:
        """Check that git reads nothing outside of the roots where it reads a project's history.

        Raises:
            UsageError: it would.
        """
        for place in _git_folders(project):
            if not _is_in(place, self.folders()):
                raise UsageError(
                    f"The history of {project} is kept in {place}, outside of the roots ({_listed(self.folders())}). "
                    "Make that folder a root, or give `rewrite` without `base`."
                )

    def trust(self, request: TrustRequest) -> bool:
        """Code of the roots may run in the sandbox: that is what they are for. What its settings choose may not.

        Settings that choose a model or a program count where AFTERBURNER_TRUSTED_PROJECTS names the project.
        """
        if request.question is TrustQuestion.RUN_CODE:
            return _is_in(Path(request.folder).resolve(), self.folders())
        return trust_named_projects(request)


def _folder_of(uri: str) -> Path | None:
    try:
        parts = urlsplit(uri)
        folder = Path(unquote(parts.path)).resolve()
        is_here = parts.scheme == "file" and parts.netloc in ("", "localhost") and folder.is_dir()
    except (OSError, ValueError):
        return None
    return folder if is_here else None


def _is_too_wide(folder: Path) -> bool:
    """Whether a folder holds the user's home, or everybody's files."""
    home = Path.home().resolve()
    return home.is_relative_to(folder) or folder == Path(gettempdir()).resolve()


def _git_folders(project: Path) -> Iterator[Path]:
    """Where git finds the history of a project: its folder, that of the main worktree, and object stores of others."""
    folder = project / ".git"
    if folder.is_file():
        folder = project / _text_of(folder).removeprefix("gitdir:").strip()
    folder = folder.resolve()
    yield folder
    common = (folder / (_text_of(folder / "commondir").strip() or ".")).resolve()
    yield common
    for line in _text_of(common / "objects" / "info" / "alternates").splitlines():
        if line and not line.startswith("#"):
            yield (common / "objects" / line).resolve()


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _is_in(place: Path, folders: Iterable[Path]) -> bool:
    return any(place.is_relative_to(each) for each in folders)


def _listed(folders: Iterable[Path]) -> str:
    return ", ".join(map(str, folders))
