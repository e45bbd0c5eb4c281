"""A target's project as a proposer and the judge of its imports need it: gathered once for a run."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.code.context.allowed import ImportRules
from afterburner.agent.code.context.describe import describe
from afterburner.agent.code.context.imports import new_importer, new_imports
from afterburner.agent.code.context.installed import installed_in
from afterburner.agent.code.context.mentions import mentions
from afterburner.agent.code.context.readable_files import ProjectFiles, read_regular
from afterburner.agent.code.context.resolver import Resolver
from afterburner.agent.code.project_formatting import find_style, format_changed

if TYPE_CHECKING:
    from afterburner.agent.code.context.token_budget import Piece
    from afterburner.agent.code.project_formatting import Style
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target
    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.project import StagedProject

_MAX_SETTINGS_BYTES = 1_000_000


class Surroundings:
    """What is known of a project without running it. Only the copy that the sandbox is shown is read, and lazily."""

    def __init__(
        self, target: Target, project: StagedProject, environment: PythonEnvironment, settings: RunSettings
    ) -> None:
        """Take the target as the user has it, the staged project, and where the code runs."""
        self._target = target
        self._folder = project.folder
        self._environment = environment
        self._settings = settings
        self._own_file = PurePosixPath(Path(target.path).relative_to(target.project_root).as_posix())
        self._files: ProjectFiles | None = None
        self._rules: ImportRules | None = None
        self._style: tuple[Style | None] | None = None
        self._around: dict[str, list[Piece]] = {}

    def describe(self, target: Target) -> str:
        """Describe the target as it stands for a model, see `describe.describe`."""
        rules = self._import_rules()
        around = self._who_calls(target.function, rules.files)
        rules.files.put(self._own_file, target.source)
        resolver = self._resolver(rules.files)
        major, minor = self._environment.version
        return describe(
            target,
            resolver,
            self._own_file,
            self._settings.models.context_tokens,
            around=around,
            told=(f"It runs on Python {major}.{minor}.", rules.told()),
        )

    def objection(self, rewrite: str) -> str | None:
        """Why a rewrite of the file may not import what it does; None if it may."""
        importer = new_importer(self._target.source, rewrite)
        if importer is not None:
            name, line = importer
            return (
                f"it may import by a computed name ({name}, line {line}), which --allow-imports cannot judge: only "
                "import statements may say what a rewrite needs"
            )
        imports = new_imports(self._target.source, rewrite)
        return self._import_rules().objection(imports) if imports else None

    def formatted(self, text: str) -> str:
        """Lay the lines out that are not the user's, as the formatter of the project would; if it has one."""
        if self._style is None:
            self._style = (find_style(self._own_file, self._read_settings),)
        style = self._style[0]
        return text if style is None else format_changed(self._target.source, text, style)

    def _who_calls(self, function: str | None, files: ProjectFiles) -> list[Piece]:
        """Callers and tests, with the line numbers of the user's file, whichever version is described first.

        A resumed run starts from a rewrite, and must send the same prompt. Puts the user's file into `files`.
        """
        if function is None or not self._settings.models.context_tokens:
            return []
        if function not in self._around:
            files.put(self._own_file, self._target.source)
            self._around[function] = list(mentions(files, self._resolver(files), self._own_file, function))
        return self._around[function]

    def _import_rules(self) -> ImportRules:
        if self._rules is None:
            files = ProjectFiles(self._folder, self._own_file)
            files.put(self._own_file, self._target.source)
            installed = installed_in(self._environment)
            resolver = self._resolver(files)
            self._rules = ImportRules(self._settings.models.allow_imports, installed, files, resolver, self._own_file)
        return self._rules

    def _resolver(self, files: ProjectFiles) -> Resolver:
        """A fresh one: it remembers what names mean, and the target's own file changes."""
        root = Path(self._target.import_root)
        inside = root.is_relative_to(self._target.project_root)
        below = root.relative_to(self._target.project_root).as_posix() if inside else ""
        return Resolver(files, PurePosixPath(below))

    def _read_settings(self, path: PurePosixPath) -> str | None:
        data = read_regular(self._folder / path, _MAX_SETTINGS_BYTES, within=self._folder)
        return None if data is None else data.decode("utf-8", "replace")
