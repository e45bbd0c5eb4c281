"""Algorithm 1 of the paper: step by step on a scripted sandbox, and for real on problems as data."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from afterburner.agent import Job, Problem, Search, open_session
from afterburner.agent.code.programs import program_from_answer
from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.paper import solution_of
from afterburner.agent.loop.paper import PaperLoop, Step
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.types import Objective
from afterburner.sandbox import CancelToken, CaseReport, Limits, Measurement, Report, TestCase, UsageError, Verdict

if TYPE_CHECKING:
    from afterburner.sandbox import Program, Sandbox

SHARED = Path(__file__).parents[3] / "shared" / "data" / "apps" / "apps_train_official.jsonl"
LIMITS = Limits(wall_time_s=5.0, memory_kib=100_000)


@dataclass
class ScriptedSandbox:
    """Says of each program what its script says: whether it passes, seconds, KiB."""

    script: dict[str, tuple[bool, float, int]]
    ran: list[str] = field(default_factory=list)
    cores: list[int | None] = field(default_factory=list)
    stopped: bool = False

    def run(
        self, program: Program, cases: tuple[TestCase, ...], _limits: Limits, *, cpu: int | None = None, **_: object
    ) -> Report:
        self.cores.append(cpu)
        self.ran.append(program.source)
        passes, seconds, kib = self.script[program.source]
        used = Measurement(seconds, seconds, kib, seconds * kib)
        verdict = Verdict.ACCEPTED if passes else Verdict.WRONG_ANSWER
        case = CaseReport(verdict, "", used, None, None, b"", "")
        return Report(verdict, used, (case,) * len(cases), "scripted")


@dataclass
class Scripted:
    """Gives one code an iteration, and keeps what it was asked."""

    codes: list[str]
    name: str = "scripted"
    asked: list[ProposalRequest] = field(default_factory=list)

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        self.asked.append(request)
        code = self.codes[request.iteration - 1]
        return [Proposal(self.name, program_from_answer(code) if code else None, error="" if code else "no code")]


def solve(
    script: dict[str, tuple[bool, float, int]],
    codes: list[str],
    objective: Objective,
    start: str = "",
    *,
    until: Deadline | None = None,
    sandbox: ScriptedSandbox | None = None,
) -> tuple[list[Step], Scripted]:
    proposer = Scripted(codes)
    problem = Problem("sum", "Add the numbers.", (TestCase(b"1 2", b"3"),), "cpp", start=start, limits=LIMITS)
    iterations = len(codes) if start else len(codes) - 1
    loop = PaperLoop(
        problem=problem,
        search=Search(objective=objective, iterations=iterations, selection="paper"),  # type: ignore[arg-type]
        proposer=proposer,
        sandbox=cast("Sandbox", sandbox or ScriptedSandbox(script)),
        on_event=lambda _event: None,
        tell="paper",
        cancel=CancelToken(),
        until=until,
        core=TimingCore(),
    )
    return loop.run(), proposer


def incumbents(steps: list[Step]) -> list[str | None]:
    return [step.incumbent.code if step.incumbent else None for step in steps]


SCRIPT = {
    "slow": (True, 3.0, 50),
    "wrong": (False, 0.1, 1),
    "fast": (True, 1.0, 90),
    "same": (True, 1.0, 90),
    "faster": (True, 0.5, 95),
    "lean": (True, 4.0, 10),
}


def test_the_incumbent_is_replaced_by_what_passes_and_is_better_and_by_nothing_else() -> None:
    codes = ["wrong", "fast", "lean", "same", "faster"]
    steps, proposer = solve(SCRIPT, codes, Objective.TIME, start="slow")
    assert [step.iteration for step in steps] == [0, 1, 2, 3, 4, 5]
    assert incumbents(steps) == ["slow", "slow", "fast", "fast", "fast", "faster"]
    assert [request.target.source for request in proposer.asked] == ["slow", "slow", "fast", "fast", "fast"]
    assert all(request.passed for request in proposer.asked)
    assert [request.measurement.wall_time_s for request in proposer.asked if request.measurement] == [3, 3, 1, 1, 1]


def test_memory_and_the_integral_select_by_their_own_figure() -> None:
    codes = ["fast", "lean", "faster"]
    assert incumbents(solve(SCRIPT, codes, Objective.MEMORY, "slow")[0]) == ["slow", "slow", "lean", "lean"]
    assert incumbents(solve(SCRIPT, codes, Objective.INTEGRAL, "slow")[0]) == ["slow", "fast", "lean", "lean"]


def test_a_failing_start_measures_the_limits_and_gives_way_to_whatever_passes() -> None:
    steps, proposer = solve(SCRIPT, ["wrong", "lean", "fast"], Objective.TIME, start="wrong")
    assert incumbents(steps) == ["wrong", "wrong", "lean", "fast"]
    first = proposer.asked[0]
    assert first.measurement is not None
    assert (first.passed, first.measurement.wall_time_s, first.measurement.peak_memory_kib) == (False, 5.0, 100_000)


def test_without_code_the_model_writes_the_first_and_then_come_all_iterations() -> None:
    steps, proposer = solve(SCRIPT, ["slow", "fast", "faster"], Objective.TIME)
    assert [step.iteration for step in steps] == [0, 1, 2]
    assert incumbents(steps) == ["slow", "fast", "faster"]
    assert [request.target.source for request in proposer.asked] == ["", "slow", "fast"]
    assert [request.measurement is None for request in proposer.asked] == [True, False, False]
    assert [request.is_last for request in proposer.asked] == [False, False, True]


def test_an_answer_without_code_leaves_the_beginning_to_the_next() -> None:
    steps, proposer = solve(SCRIPT, ["", "wrong", "slow", "fast"], Objective.TIME)
    assert incumbents(steps) == [None, "wrong", "slow", "fast"]
    assert proposer.asked[0].measurement is None
    assert proposer.asked[0].target.source == ""
    assert steps[0].attempts[0].solution is None
    assert steps[0].attempts[0].proposal.error == "no code"


def test_no_iteration_begins_when_the_time_is_up() -> None:
    steps, proposer = solve(SCRIPT, ["fast", "faster"], Objective.TIME, start="slow", until=Deadline.after(0))
    assert incumbents(steps) == ["slow", "fast"]
    assert len(proposer.asked) == 1


def test_every_measurement_is_taken_on_a_leased_core() -> None:
    sandbox = ScriptedSandbox(SCRIPT)
    solve(SCRIPT, ["fast", "faster"], Objective.TIME, start="slow", sandbox=sandbox)
    assert sandbox.ran == ["slow", "fast", "faster"]
    assert None not in sandbox.cores


def test_a_failing_program_measures_the_limits_of_the_paper_where_a_problem_names_none() -> None:
    failing = Report(Verdict.RUNTIME_ERROR, Measurement(0.1, 0.1, 9, 0.9), (), "scripted")
    measured = solution_of("x", failing, Problem("p", "d", (TestCase(b"", b""),)).limits).measurement
    figures = (measured.wall_time_s, measured.peak_memory_kib, measured.memory_integral_kib_s)
    assert figures == (90.0, 1_048_576, 94_371_840.0)


@pytest.fixture
def apps() -> dict[str, Any]:
    """The first official problem of APPS in the shared data."""
    if not SHARED.is_file():
        pytest.skip(f"needs {SHARED.name} of the shared data")
    found: dict[str, Any] = json.loads(SHARED.read_text().splitlines()[0])
    return found


def test_a_replayed_model_solves_a_real_problem_from_nothing(
    sandbox: Sandbox, apps: dict[str, Any], tmp_path: Path
) -> None:
    """Its first answer fails, its second is a solution of the data set, its third is slower."""
    tests = json.loads(apps["input_output"])
    cases = tuple(
        TestCase(given.encode(), wanted.encode())
        for given, wanted in list(zip(tests["inputs"], tests["outputs"], strict=True))[:1]
    )
    right = json.loads(apps["solutions"])[0]
    waits = f"import time\ntime.sleep(0.5)\n{right}"
    answers = [
        f"<thinking>why</thinking><solution>```python\n{code}\n```</solution>" for code in ("print(0)", right, waits)
    ]
    recording = tmp_path / "answers.jsonl"
    recording.write_text("".join(json.dumps({"content": answer}) + "\n" for answer in answers))
    problem = Problem(f"apps-{apps['problem_id']}", apps["question"], cases, starter_code=apps["starter_code"])
    with open_session(sandbox=sandbox, model=f"replay:{recording}", store=None) as session:
        result = session.solve(problem, Search(iterations=2, selection="paper"))  # type: ignore[arg-type]
    assert [step.iteration for step in result.trajectory] == [0, 1, 2]
    assert [step.incumbent.passed for step in result.trajectory if step.incumbent] == [False, True, True]
    assert result.best is not None
    assert result.best.code.strip() == right.strip()
    assert result.best.measurement.wall_time_s > 0
    assert [step.attempts[0].solution is not None for step in result.trajectory] == [True] * 3
    for each in (result, problem):  # our own bytes
        assert pickle.loads(pickle.dumps(each)) == each  # noqa: S301


def test_each_selection_has_its_own_way_in(sandbox: Sandbox, tmp_path: Path) -> None:
    problem = Problem("one", "Print 1.", (TestCase(b"", b"1"),))
    (tmp_path / "one.py").write_text("def f():\n    return 1\n")
    with open_session(sandbox=sandbox, store=None) as session:
        with pytest.raises(UsageError, match="paper"):
            session.solve(problem, Search(iterations=1))
        with pytest.raises(UsageError, match="solve"):
            session.optimize(Job.from_file(tmp_path / "one.py", function="f"), Search(selection="paper"))  # type: ignore[arg-type]
