"""A problem as JSON, with the sandbox's own forms of cases, checkers and limits."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, field_serializer

from afterburner.agent.job.json_calls import JsonCall
from afterburner.sandbox import Limits, TestCase, UsageError
from afterburner.sandbox.form_mistakes import describe_mistake
from afterburner.sandbox.service.tasks import checker_of
from afterburner.sandbox.service_schema import Blob, CaseModel, CheckerModel, LimitsModel, LinesModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.sandbox.checkers import Checker

_NO_BOUND = Limits(*[2**62] * 7)


class StdinModel(CaseModel):
    """A text for stdin, and what has to be printed."""

    @field_serializer("stdin", "expected_stdout")
    def _plainly(self, data: Blob | None) -> Blob | str | None:
        return data if data is None or data.base64 else data.content


class CallModel(BaseModel):
    """The arguments of a call, and what it has to return."""

    model_config = ConfigDict(extra="forbid")
    arguments: list[Any]
    expected: Any


def _kind_of_case(case: object) -> str:
    return "call" if isinstance(case, CallModel) or (isinstance(case, dict) and "arguments" in case) else "stdin"


AnyCase = Annotated[
    Annotated[StdinModel, Tag("stdin")] | Annotated[CallModel, Tag("call")], Discriminator(_kind_of_case)
]


class ProblemDocument(BaseModel):
    """See `Problem`."""

    model_config = ConfigDict(extra="forbid")
    name: str
    description: str
    language: str = "python"
    function: str = ""
    preamble: str = ""
    runner: str = ""
    starter_code: str = ""
    start: str = ""
    references: tuple[str, ...] = ()
    checker: CheckerModel = LinesModel(kind="lines")
    limits: LimitsModel = LimitsModel()
    cases: tuple[AnyCase, ...] = Field(min_length=1)

    @classmethod
    def read(cls, text: str | bytes | Mapping[str, Any]) -> ProblemDocument:
        """Read JSON, or what JSON would be read as.

        Raises:
            UsageError: it is none, or not of a problem; the message names the field.
        """
        try:
            return cls.model_validate_json(text if isinstance(text, str | bytes) else json.dumps(text))
        except (TypeError, ValueError) as error:
            if not isinstance(error, ValidationError):
                raise UsageError(f"This is not the JSON of a problem: {error}.") from error
            found = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = found["loc"]
            if place[:1] == ("cases",):  # the third part says which kind of a case it was taken for
                found["loc"] = (*place[:2], *place[3:])
            raise UsageError(f"This is not the JSON of a problem: {describe_mistake(found)}.") from error

    def read_cases(self) -> tuple[TestCase | JsonCall, ...]:
        """The cases.

        Raises:
            UsageError: a call holds a number that JSON does not have.
        """
        return tuple(_read_case(case) for case in self.cases)

    def read_checker(self) -> Checker:
        """The checker."""
        return checker_of(self.checker, _NO_BOUND)

    def read_limits(self, default: Limits) -> Limits:
        """The limits; those that are not given are those of `default`."""
        return Limits(**asdict(default) | self.limits.model_dump(exclude_none=True))


def written(case: TestCase | JsonCall) -> StdinModel | CallModel:
    """A case as JSON has it."""
    if isinstance(case, JsonCall):
        return CallModel(arguments=list(case.arguments), expected=case.expected)
    wanted = case.expected_stdout.read_bytes() if isinstance(case.expected_stdout, Path) else case.expected_stdout
    expected = None if wanted is None else Blob.of(wanted)
    return StdinModel(stdin=Blob.of(case.stdin), expected_stdout=expected, name=case.name)


def _read_case(case: StdinModel | CallModel) -> TestCase | JsonCall:
    if isinstance(case, CallModel):
        return JsonCall(case.arguments, case.expected)
    expected = None if case.expected_stdout is None else case.expected_stdout.data()
    return TestCase(case.stdin.data(), expected, case.name)
