"""Small real projects in a temporary folder, and their workloads from the real sandbox."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.inputs.hottest import hottest_functions
from afterburner.agent.inputs.staging import import_paths
from afterburner.agent.options import InputOptions, RunSettings, Search
from afterburner.agent.types import Objective, Target, Workload, WorkloadCall
from afterburner.sandbox import Limits, PythonEnvironment
from afterburner.sandbox.interpreter import find_interpreter, python_environment
from afterburner.sandbox.project import stage_project

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox


@dataclass
class Project:
    """A folder of files, and what can be asked about one of them."""

    root: Path
    staging: Path
    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    told: list[str] = field(default_factory=list)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def target(self, file: str, function: str | None) -> Target:
        return find_target(self.root / file, function, whole_program=function is None)

    def environment(self, target: Target) -> PythonEnvironment:
        root = Path(target.project_root)
        folder = self.staging / str(len(list(self.staging.iterdir())))
        folder.mkdir()
        return python_environment(
            self.sandbox,
            find_interpreter(None, root),
            project=stage_project(root, folder, Path(target.path)),
            import_paths=import_paths(target),
            working_directory=str(Path(target.path).parent),
        )

    def workload(
        self,
        file: str,
        function: str | None,
        *,
        calls: Path | None = None,
        cases: Path | None = None,
        seed: int = 0,
        float_tolerance: float | None = None,
    ) -> Workload:
        target = self.target(file, function)
        settings = RunSettings(
            target.path,
            function,
            inputs=InputOptions(
                calls=str(calls) if calls else None,
                cases=str(cases) if cases else None,
                float_tolerance=float_tolerance,
            ),
            search=Search(seed=seed),
        )
        return build_workload(self.sandbox, target, self.environment(target), settings, self.limits, self.told.append)

    def hottest(
        self, file: str, objective: str = "time", *, calls: Path | None = None, cases: Path | None = None
    ) -> str:
        target = self.target(file, None)
        settings = RunSettings(
            target.path,
            search=Search(objective=Objective(objective)),
            inputs=InputOptions(calls=str(calls) if calls else None, cases=str(cases) if cases else None),
        )
        return hottest_functions(self.sandbox, target, self.environment(target), settings, self.limits)[0]


@pytest.fixture
def project(tmp_path: Path, sandbox: Sandbox) -> Project:
    """An empty project."""
    for name in ("project", "staging"):
        (tmp_path / name).mkdir()
    return Project(tmp_path / "project", tmp_path / "staging", sandbox)


def every_call(workload: Workload) -> list[WorkloadCall]:
    """The calls of both parts."""
    return [*workload.calls, *workload.held_out_calls]


def of_origin(workload: Workload, origin: str) -> list[WorkloadCall]:
    """The calls whose origin begins like this."""
    return [call for call in every_call(workload) if call.origin.startswith(origin)]


def reasons(workload: Workload) -> str:
    """All that was left out, as one text."""
    return "\n".join(f"{each.origin}: {each.reason}" for each in workload.skipped)
