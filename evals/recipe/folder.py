"""The folder of a benchmark that is being built; `datasets/built.py` tells what is in it, and reads it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from afterburner.evals.datasets.built import (
    ABOUT,
    COLUMNS,
    FORMAT,
    LEFT_OUT,
    PROBLEMS,
    REFERENCES,
    done_in,
    is_built,
    read_about,
)
from afterburner.evals.errors import EvaluationError
from afterburner.evals.files import cannot_write, claimed, write_whole
from afterburner.evals.recipe.split import split_of
from afterburner.evals.tables import file_key, read_rows, write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from afterburner.agent.types import Machine
    from afterburner.evals.recipe.builder import BuiltProblem
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.evals.tables import Row

_SAME_MACHINE = ("cpu_model", "cpus", "memory_kib", "backend", "tier", "python", "toolchain")


@dataclass(frozen=True, slots=True)
class BenchmarkFolder:
    """Where a benchmark is stored."""

    path: Path
    settings: RecipeSettings
    about: Mapping[str, Any]

    @classmethod
    def open(cls, path: Path, settings: RecipeSettings, machine: Machine, source: Mapping[str, str]) -> BenchmarkFolder:
        """Begin a benchmark, or go on with one that was built by the same settings, from the same source and here.

        As long as no problem of it is done, a benchmark may be begun anew by other settings or from another source.

        Args:
            path: of the folder.
            settings: of the recipe.
            machine: this one.
            source: what the raw problems come from: name, hash, licence.

        Raises:
            EvaluationError: the folder holds something else, cannot be written, or another process works on it.
            DatasetError: another version of this program has written it.
        """
        about = {
            "format": FORMAT,
            "name": path.resolve().name,
            "settings": settings.to_document(),
            "machine": asdict(machine),
            "source": dict(source),
            "counts": {},
        }
        if is_built(path):
            stored = read_about(path)
            if any(done_in(path).values()):
                _check(path, settings, about, stored)
                return cls(path, settings, stored)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if not is_built(path) and any(path.iterdir()):
                raise EvaluationError(f"{path} is not empty, and holds no benchmark. Give another folder as --out.")
            with claimed(path):
                write_whole(path / ABOUT, json.dumps(about, indent=1))
        except OSError as error:
            raise cannot_write(path, error) from error
        return cls(path, settings, about)

    def check_still_ours(self) -> None:
        """Refuse to go on where another process has begun the benchmark anew; for the process that has claimed it.

        Raises:
            EvaluationError: one has.
        """
        if read_about(self.path) != json.loads(json.dumps(self.about)):
            raise EvaluationError(
                f"Another process has begun {self.path} in the meantime. Give another folder as --out."
            )

    def is_done(self, problem_id: str) -> bool:
        """Whether a raw problem has been worked on, whatever became of it."""
        return any(self._file(table, problem_id).exists() for table in (PROBLEMS, LEFT_OUT))

    def keep(self, built: BuiltProblem, elapsed_s: float) -> None:
        """Store a problem; the file that says that it is done comes last.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        problem = built.problem
        self._write(
            REFERENCES,
            problem.id,
            [
                {
                    "id": problem.id,
                    "code_id": each.code_id,
                    "tests": tests,
                    "repeat": each.repeat,
                    "turn": each.turn,
                    "verdict": each.verdict.value,
                    "detail": each.detail,
                    **(asdict(each.figures) if each.figures else {}),
                }
                for tests, measured in built.distributions.measured.items()
                for each in measured
            ],
        )
        row = {
            "id": problem.id,
            "split": split_of(problem.id, self.settings.test_share),
            "json": problem.to_json(),
            "difficulty": problem.difficulty,
            "tags": list(problem.tags),
            "public_cases": len(problem.problem.cases),
            "private_cases": len(problem.private.cases) if problem.private else 0,
            "references": len(problem.references),
            "elapsed_s": elapsed_s,
        }
        self._write(PROBLEMS, problem.id, [row])

    def leave_out(self, problem_id: str, reason: str, elapsed_s: float) -> None:
        """Store why a raw problem is not in the benchmark; raises as `keep`."""
        self._write(LEFT_OUT, problem_id, [{"id": problem_id, "reason": reason, "elapsed_s": elapsed_s}])

    def count(self) -> dict[str, int]:
        """Count what is done, and store the counts; raises as `keep`."""
        counts = done_in(self.path)
        try:
            write_whole(self.path / ABOUT, json.dumps({**self.about, "counts": counts}, indent=1))
        except OSError as error:
            raise cannot_write(self.path, error) from error
        return counts

    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Ids and reasons of the raw problems that did not become problems of the benchmark."""
        return tuple((row["id"], row["reason"]) for row in read_rows(self.path, LEFT_OUT, columns=COLUMNS[LEFT_OUT]))

    def _file(self, table: str, problem_id: str) -> Path:
        return self.path / table / f"{file_key(problem_id)}.parquet"

    def _write(self, table: str, problem_id: str, rows: Sequence[Row]) -> None:
        try:
            write_file(self._file(table, problem_id), COLUMNS[table], rows)
        except OSError as error:
            raise cannot_write(self.path, error) from error


def _check(path: Path, settings: RecipeSettings, now: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Refuse to mix what cannot be compared."""
    differences = settings.differences(stored.get("settings", {}))
    if differences:
        raise EvaluationError(
            f"{path} was begun with {', '.join(differences)}. Give the same settings, or another folder as --out."
        )
    if now["source"]["sha256"] != stored.get("source", {}).get("sha256"):
        raise EvaluationError(
            f"{now['source']['name']} differs from what {path} was begun with "
            f"({stored.get('source', {}).get('name')}). Give the same source, or another folder as --out."
        )
    here, there = now["machine"], stored.get("machine", {})
    changed = [f"{name} {there.get(name)}, now {here[name]}" for name in _SAME_MACHINE if here[name] != there.get(name)]
    if changed:
        raise EvaluationError(
            f"{path} was measured on another machine ({'; '.join(changed)}). Figures of two machines do not make one "
            "distribution. Give another folder as --out."
        )
