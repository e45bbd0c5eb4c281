"""A proposer that gives the answers of a recording: no model, no key, the same every time."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.models.prompts.calls_prompt import WrittenAnswer
from afterburner.agent.models.requests.model_answers import ModelAnswer, proposal_of
from afterburner.agent.models.requests.recording import RecordedTarget
from afterburner.agent.models.requests.secrets import Scrubber

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.calls_prompt import CallsRequest
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest
    from afterburner.agent.models.requests.prompt_request import PromptRequest
    from afterburner.agent.types import Target


MAX_BYTES = 64 * 1024 * 1024


class ReplayProposer:
    """Gives a recording's answers in order, `count` in each iteration; afterwards nothing.

    A recording holds one JSON object a line, `{"content": "…"}`. What `--record` wrote says with `file`, `function`,
    `iteration`, `asked` (the model) and `candidate` where each answer belongs, with `reasoning` what was thought apart
    from it, with `finish_reason` how it ended, with `error` why there is none, and with `hidden` that what was asked
    had a secret value hidden in it. With `doubted` it holds calls that may tell that candidate from the original, and
    is no rewrite; with `workload` it holds calls of a function that nothing calls. Further keys are left alone, and
    null says as much as no key.

    When asked for the nth time, it gives the answers of the nth iteration that has any for the target, those of each
    model in turn. Where a replay stands follows from the iteration, so a resumed run goes on in the right place.
    """

    def __init__(self, path: str | Path, scrub: Scrubber | None = None) -> None:
        """Read the recording; `scrub` knows the values that were hidden in it (None: those of this environment).

        Raises:
            UnknownModelError: there is no such file.
            ProposerError: the file cannot be read, or a line of it is no recorded answer.
        """
        self.name = f"replay:{Path(path).name}"
        self._scrub = scrub or Scrubber()
        lines = [_hidden(line, self._scrub) for line in _read(Path(path))]
        self._lines = [line for line in lines if line.is_rewrite]
        doubts = RecordedSceptic(self.name, [line for line in lines if line.doubted])
        workloads = RecordedCallAuthor(self.name, [line for line in lines if line.is_workload])
        self.parts = tuple(part for part in (doubts, workloads) if part.lines)

    @property
    def answers_any_problem(self) -> bool:
        """Whether every problem is given the same answers: some name no target, or all name one and the same problem.

        Answers of a single problem are taken for those of any other, which may be the same one by another name.
        """
        named = {line.target for line in self._lines if line.target is None or line.target.function is None}
        return None in named or len(named) == 1

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give this iteration's answers.

        Raises:
            ProposerError: the recording is of other targets.
        """
        answers = _answers(self._of(request.target), request.iteration, request.count)
        return [proposal_of(answer, request.target, self.name, self._scrub, until=request.until) for answer in answers]

    def answer(self, request: PromptRequest) -> list[ModelAnswer]:
        """Give the answers to the prompt of this number, from the lines without a target; see `Answerer`.

        Raises:
            ProposerError: every line is for a target.
        """
        lines = [line for line in self._lines if line.target is None]
        if self._lines and not lines:
            raise ProposerError(
                f"{self.name} was recorded by runs, and does not say which prompt each line answers. Give a recording "
                'whose lines are {"content": "…"} alone, in the order of the prompts.'
            )
        return _answers(lines, request.number, request.count)[request.known :]

    def _of(self, target: Target) -> list[_Line]:
        """The lines for a target; a function that was recorded in one file only may have moved to another since."""
        wanted = RecordedTarget.of(target)
        known = dict.fromkeys(line.target for line in self._lines if line.target is not None)
        if wanted not in known:
            moved = [each for each in known if each.function == wanted.function]
            wanted = moved[0] if len(moved) == 1 else wanted
        lines = [line for line in self._lines if line.target in {None, wanted}]
        if not lines and self._lines:
            others = ", ".join(map(str, known))
            raise ProposerError(f"{self.name} was recorded for {others}, and has nothing for {wanted}.")
        return lines


@dataclass(frozen=True, slots=True)
class RecordedSceptic:
    """Gives the calls that were recorded to tell a rewrite from the original."""

    name: str
    lines: Sequence[_Line]

    def doubt(self, request: DoubtRequest) -> str:
        """Give the calls that were recorded for a rewrite, or those of another rewrite of the target.

        This time another rewrite may have won, and calls are inputs whatever rewrite they were written for.

        Raises:
            ProposerError: there are none.
        """
        found = _for_target(self.lines, request.original)
        exact = [line for line in found if line.doubted == request.candidate]
        return _last(exact or found, self.name)


@dataclass(frozen=True, slots=True)
class RecordedCallAuthor:
    """Gives the calls that were recorded for functions that nothing called."""

    name: str
    lines: Sequence[_Line]

    def write_calls(self, request: CallsRequest) -> WrittenAnswer:
        """Give the calls that were recorded for a function.

        Raises:
            ProposerError: there are none.
        """
        return WrittenAnswer(self.name, _last(_for_target(self.lines, request.target), self.name))


def _for_target(lines: Sequence[_Line], target: Target) -> list[_Line]:
    wanted = RecordedTarget.of(target)
    return [line for line in lines if line.target in {None, wanted}]


def _last(lines: Sequence[_Line], name: str) -> str:
    """The text of the last of several recorded answers to one question."""
    if not lines:
        raise ProposerError(f"{name} holds none")
    if lines[-1].answer.error:
        raise ProposerError(lines[-1].answer.error)
    return lines[-1].answer.content


def _answers(lines: Sequence[_Line], iteration: int, count: int) -> list[ModelAnswer]:
    """The answers of an iteration, in order."""
    if all(line.iteration is None for line in lines):
        return [line.answer for line in lines[(iteration - 1) * count : iteration * count]]
    if all(line.target is not None for line in lines):
        iterations = sorted({line.iteration for line in lines if line.iteration is not None})
        iteration = iterations[iteration - 1] if iteration <= len(iterations) else 0
    lines = [line for line in lines if line.iteration == iteration]
    models = list(dict.fromkeys(line.asked for line in lines))
    # of two answers in one place, which a resumed run may have written, the later counts
    placed = {(models.index(line.asked), line.candidate): line.answer for line in lines}
    return [placed[place] for place in sorted(placed)]


@dataclass(frozen=True, slots=True)
class _Line:
    """An answer and its place; without an iteration it follows the line before.

    Without a target, as older recordings are, it is for all, and its iteration is the one that is asked for.
    """

    answer: ModelAnswer
    iteration: int | None
    candidate: int
    asked: str = ""
    target: RecordedTarget | None = None
    doubted: str = ""  # the candidate that it gives a sceptic's calls for; empty: it gives none
    is_workload: bool = False  # whether it gives calls of a function that nothing calls

    @property
    def is_rewrite(self) -> bool:
        """Whether it is an answer with a rewrite."""
        return not (self.doubted or self.is_workload)


def _read(path: Path) -> list[_Line]:
    try:
        if path.exists() and not path.is_file():
            raise ProposerError(f"The recording {path} cannot be read: it is not a file.")
        if path.stat().st_size > MAX_BYTES:
            raise ProposerError(f"The recording {path} is larger than {MAX_BYTES >> 20} MiB. Leave out other targets.")
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise UnknownModelError(f"No such recording: {path}") from None
    except UnicodeDecodeError as error:
        raise ProposerError(f"The recording {path} is not UTF-8: {error}.") from None
    except (OSError, ValueError) as error:
        raise ProposerError(f"The recording {path} cannot be read: {error}.") from None
    lines = [_line(line, path, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len({line.iteration is None for line in lines if line.is_rewrite}) > 1:
        raise ProposerError(f"In {path} some lines name their iteration and some do not; all or none of them have to.")
    return lines


def _hidden(line: _Line, scrub: Scrubber) -> _Line:
    """The line without secrets of this environment, which a recording of others may hold; like a model's answer."""
    answer = line.answer
    content, reasoning = scrub.hide(answer.content), scrub.hide(answer.reasoning)
    return replace(line, answer=replace(answer, content=content, reasoning=reasoning, error=scrub(answer.error)))


def _line(line: str, path: Path, number: int) -> _Line:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise ProposerError(f"{path}, line {number}, is not JSON: {problem}.") from None
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(content, str):
        raise ProposerError(f'{path}, line {number}, is not of the form {{"content": "…"}}.')
    model, finish_reason, error, reasoning = (
        str(record.get(key) or "") for key in ("model", "finish_reason", "error", "reasoning")
    )
    answer = ModelAnswer(content, model, finish_reason, error, reasoning, hidden=bool(record.get("hidden")))
    if isinstance(record.get("usage"), dict):
        answer = replace(answer, usage=record["usage"], cached=bool(record["usage"].get("cached")))
    iteration, candidate = record.get("iteration"), record.get("candidate")
    if candidate is None:
        candidate = number
    if not isinstance(iteration, int | None) or not isinstance(candidate, int):
        raise ProposerError(f"{path}, line {number}: iteration and candidate have to be integers.")
    doubted, is_workload = str(record.get("doubted") or ""), bool(record.get("workload"))
    if record.get("asked") is None:
        return _Line(answer, iteration, candidate, doubted=doubted, is_workload=is_workload)
    asked, file, function = (record.get(key) for key in ("asked", "file", "function"))
    if not (isinstance(asked, str) and isinstance(file, str) and isinstance(function, str | None)) or iteration is None:
        raise ProposerError(f"{path}, line {number}: with asked there have to be iteration, file and function.")
    return _Line(answer, iteration, candidate, asked, RecordedTarget(file, function), doubted, is_workload)
