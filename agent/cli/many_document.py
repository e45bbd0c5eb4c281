"""What `run FOLDER --json` writes (docs/run-json.md); `many-schema.json` is generated from it."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from afterburner.agent.batch.batch_results import ManyResult
from afterburner.agent.cli.document_parts import UsagePart
from afterburner.agent.cli.run_document import RunDocument, document_of
from afterburner.agent.store.batch_state import SuiteCheck
from afterburner.agent.types import Objective
from afterburner.sandbox.terminal.document import Document


class ManyTargetPart(Document):
    """A target, and what became of it."""

    file: str
    function: str
    saving_s: NonNegativeFloat
    share: NonNegativeFloat
    calls: PositiveInt
    decision: Literal[
        "improved",
        "conditional",
        "no_improvement",
        "nothing_to_propose",
        "no_workload",
        "failed",
        "interrupted",
        "not_reached",
    ]
    reason: str
    patch_file: str | None
    goes_with_others: bool
    run: RunDocument | None


class TestsPart(Document):
    """The project's tests before and after."""

    __test__ = False  # no class for pytest

    green: bool
    broken: list[str]
    passed_before: NonNegativeInt
    passed: NonNegativeInt
    failing_before: list[str]
    failing: list[str]
    complete: bool


class ManyDocument(Document):
    """The result of a run over many targets."""

    schema_: Literal[1] = Field(alias="schema")
    kind: Literal["many"]
    run_id: str
    place: str
    model: str
    objective: Objective
    command: list[str]
    top: PositiveInt
    interrupted: bool
    profiled_s: float | None
    profile_note: str
    targets: list[ManyTargetPart]
    tests: TestsPart | None
    tests_note: str
    usage: UsagePart | None


def document_of_many(many: ManyResult, names: dict[int, str], applied: set[str]) -> ManyDocument:
    """The document; `names` are those of the patches by place, `applied` the files that were written."""
    left_out = set(many.merged.left_out)
    targets = []
    for place, outcome in enumerate(many.outcomes):
        target, run = outcome.target, None
        if outcome.result is not None and outcome.settings is not None:
            written = target.path in applied and (target.path, target.function) not in left_out and place in names
            run = document_of(outcome.result, outcome.settings, applied=written)
        targets.append(
            {
                "file": target.path,
                "function": target.function,
                "saving_s": target.saving_s,
                "share": target.share,
                "calls": target.calls,
                "decision": outcome.decision,
                "reason": outcome.reason,
                "patch_file": names.get(place),
                "goes_with_others": (target.path, target.function) not in left_out,
                "run": run,
            }
        )
    settings = many.settings
    return ManyDocument.model_validate(
        {
            "schema": 1,
            "kind": "many",
            "run_id": many.run_id,
            "place": str(many.place.absolute()),
            "model": settings.models.model,
            "objective": settings.search.objective,
            "command": settings.batch.command,
            "top": settings.batch.top,
            "interrupted": many.interrupted,
            "profiled_s": many.profiled_s,
            "profile_note": many.survey_note,
            "targets": targets,
            "tests": _tests(many.tests),
            "tests_note": many.tests_note,
            "usage": UsagePart.of(many.usage),
        }
    )


def _tests(tests: SuiteCheck | None) -> TestsPart | None:
    if tests is None:
        return None
    before, after = tests.before, tests.after
    return TestsPart(
        green=tests.green,
        broken=list(tests.broken),
        passed_before=before.passed,
        passed=after.passed,
        failing_before=list(before.failing),
        failing=list(after.failing),
        complete=before.complete and after.complete,
    )
