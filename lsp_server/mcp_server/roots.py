"""The folders that a client of the server may have something of run, read or written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from afterburner.agent import TrustQuestion, UsageError, project_of
from afterburner.agent.job.trust import trust_named_projects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.agent import TrustRequest


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders of one server, and which of them a client sees.

    Attributes:
        named: by `--root`; nothing outside of these is touched, whatever the client says.
        started_in: the folder that counts where neither names any.
        of_client: what the client names.
    """

    named: tuple[Path, ...]
    started_in: Path
    of_client: tuple[Path, ...] = ()

    def seen_by(self, uris: Iterable[str]) -> Roots:
        """The same with the roots that a client names; those that are no folders of this machine are left out."""
        return Roots(self.named, self.started_in, tuple(filter(None, map(_folder_of, uris))))

    def folders(self) -> tuple[Path, ...]:
        """The folders that count.

        Raises:
            UsageError: there are none.
        """
        if self.named and self.of_client:
            within = [each for each in self.of_client if _is_in(each, self.named)]
            within += [each for each in self.named if _is_in(each, self.of_client) and each not in within]
            if not within:
                raise UsageError(
                    f"The roots of the client ({_listed(self.of_client)}) and those of the server, by --root "
                    f"({_listed(self.named)}), have nothing in common. Start the server with other roots."
                )
            return tuple(within)
        if self.of_client or self.named:
            return self.of_client or self.named
        if self.started_in in (Path("/"), Path.home()):
            raise UsageError(
                f"The client names no roots, and {self.started_in}, where the server was started, is too wide to be "
                "one. Start the server with --root DIR."
            )
        return (self.started_in,)

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
            raise UsageError(f"{path} is not there. The roots are {_listed(folders)}; give the absolute path.")
        project = project_of(found).resolve()
        if not _is_in(project, folders):
            raise UsageError(
                f"{path} belongs to the project {project}, which reaches outside of the roots ({_listed(folders)}). "
                "Make the project's folder a root."
            )
        return found

    def trust(self, request: TrustRequest) -> bool:
        """Code of the roots may run in the sandbox: that is what they are for. What its settings choose may not.

        Settings that choose a model or a program count where AFTERBURNER_TRUSTED_PROJECTS names the project.
        """
        if request.question is TrustQuestion.RUN_CODE:
            return _is_in(Path(request.folder).resolve(), self.folders())
        return trust_named_projects(request)


def _folder_of(uri: str) -> Path | None:
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    folder = Path(unquote(parts.path)).resolve()
    return folder if folder.is_dir() else None


def _is_in(place: Path, folders: Iterable[Path]) -> bool:
    return any(place.is_relative_to(each) for each in folders)


def _listed(folders: Iterable[Path]) -> str:
    return ", ".join(map(str, folders))
