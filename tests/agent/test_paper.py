"""Algorithm 1 of the paper: step by step on a scripted sandbox, and for real on problems as data."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from model_server import ModelServer, serving

from afterburner.agent import Caps, Job, Problem, Search, open_session, render_prompt
from afterburner.agent.code.programs import program_from_answer
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError, RunNotFoundError, TargetChangedError
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.judge.paper_selection import measured
from afterburner.agent.loop.paper import PaperLoop
from afterburner.agent.loop.state import LoopState, trajectory_of
from afterburner.agent.models.prompts.feedback import PAPER as PAPER_TELLS
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.option_kinds import Selection
from afterburner.agent.options import RunSettings
from afterburner.agent.session.stored_graph import run_graph
from afterburner.agent.types import Decision, Objective, Workload
from afterburner.sandbox import (
    CancelledError,
    CancelToken,
    CaseReport,
    Limits,
    Measurement,
    Report,
    TestCase,
    UsageError,
    Verdict,
)
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from afterburner.agent.events import ProgressEvent
    from afterburner.sandbox import Program, Sandbox

SHARED = Path(__file__).parents[3] / "shared" / "data" / "apps" / "apps_train_official.jsonl"
LIMITS = Limits(wall_time_s=5.0, memory_kib=100_000)
PAPER = Selection.PAPER


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


FAILS = "the model fails"


@dataclass
class Scripted:
    """Gives one code an iteration, and keeps what it was asked."""

    codes: list[str]
    name: str = "scripted"
    asked: list[ProposalRequest] = field(default_factory=list)

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        self.asked.append(request)
        code = self.codes[request.iteration - 1]
        if code == FAILS:
            raise ProposerError("The server is gone.")
        return [Proposal(self.name, program_from_answer(code) if code else None, error="" if code else "no code")]


def solve(
    script: dict[str, tuple[bool, float, int]],
    codes: list[str],
    objective: Objective,
    start: str = "",
    *,
    until: Deadline | None = None,
    sandbox: ScriptedSandbox | None = None,
) -> tuple[LoopState, Scripted]:
    proposer = Scripted(codes)
    problem = Problem("sum", "Add the numbers.", (TestCase(b"1 2", b"3"),), "cpp", start=start, limits=LIMITS)
    iterations = len(codes) if start else len(codes) - 1
    loop = PaperLoop(
        bench=Workbench(
            problem.target(start),
            Workload(),
            cast("Sandbox", sandbox or ScriptedSandbox(script)),
            own_environment(),
            problem.limits,
            TimingCore(),
            problem=problem,
        ),
        settings=RunSettings("sum", search=Search(objective=objective, iterations=iterations, selection=PAPER)),
        proposer=proposer,
        on_event=lambda _event: None,
        cancel=CancelToken(),
        until=until or Deadline.after(60.0),
    )
    return run_graph(loop, InMemorySaver(), "one"), proposer


def incumbents(state: LoopState) -> list[str | None]:
    return [incumbent.source if incumbent else None for incumbent in trajectory_of(state)]


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
    state, proposer = solve(SCRIPT, codes, Objective.TIME, start="slow")
    assert incumbents(state) == ["slow", "slow", "fast", "fast", "fast", "faster"]
    assert [request.target.source for request in proposer.asked] == ["slow", "slow", "fast", "fast", "fast"]
    assert all(request.passed for request in proposer.asked)
    assert [request.measurement.wall_time_s for request in proposer.asked if request.measurement] == [3, 3, 1, 1, 1]
    assert [(each.id, each.decision) for each in state["records"]] == [
        ("1.1", Decision.WRONG),
        ("2.1", Decision.PROMISING),
        ("3.1", Decision.NOT_BETTER),
        ("4.1", Decision.NOT_BETTER),
        ("5.1", Decision.PROMISING),
    ]
    assert state["ended_early"] == ""


def test_a_model_is_told_what_the_paper_tells_and_nothing_else() -> None:
    _, proposer = solve(SCRIPT, ["wrong", "fast"], Objective.TIME, start="slow")
    told = proposer.asked[1].tell
    assert told == PAPER_TELLS


def test_memory_and_the_integral_select_by_their_own_figure() -> None:
    codes = ["fast", "lean", "faster"]
    assert incumbents(solve(SCRIPT, codes, Objective.MEMORY, "slow")[0]) == ["slow", "slow", "lean", "lean"]
    assert incumbents(solve(SCRIPT, codes, Objective.INTEGRAL, "slow")[0]) == ["slow", "fast", "lean", "lean"]


def test_a_failing_start_measures_the_limits_and_gives_way_to_whatever_passes() -> None:
    state, proposer = solve(SCRIPT, ["wrong", "lean", "fast"], Objective.TIME, start="wrong")
    assert incumbents(state) == ["wrong", "wrong", "lean", "fast"]
    first = proposer.asked[0]
    assert first.measurement is not None
    assert (first.passed, first.measurement.wall_time_s, first.measurement.peak_memory_kib) == (False, 5.0, 100_000)


def test_without_code_the_model_writes_the_first_and_then_come_all_iterations() -> None:
    state, proposer = solve(SCRIPT, ["slow", "fast", "faster"], Objective.TIME)
    assert incumbents(state) == ["slow", "fast", "faster"]
    assert [each.id for each in state["records"]] == ["0.1", "1.1", "2.1"]
    assert [request.target.source for request in proposer.asked] == ["", "slow", "fast"]
    assert [request.measurement is None for request in proposer.asked] == [True, False, False]
    assert [request.is_last for request in proposer.asked] == [False, False, True]


def test_an_answer_without_code_is_a_candidate_that_fails_and_the_next_one_begins() -> None:
    state, proposer = solve(SCRIPT, ["", "wrong", "slow", "fast"], Objective.TIME)
    assert incumbents(state) == [None, "wrong", "slow", "fast"]
    assert proposer.asked[1].measurement is None
    assert proposer.asked[1].target.source == ""
    first = state["records"][0]
    assert (first.id, first.verdict, first.reason) == ("0.1", Verdict.COMPILE_ERROR, "no code")
    assert first.measurement is not None
    assert (first.measurement.wall_time_s, first.measurement.peak_memory_kib) == (5.0, 100_000)


def test_no_iteration_begins_when_the_time_is_up() -> None:
    state, proposer = solve(SCRIPT, ["fast", "faster"], Objective.TIME, start="slow", until=Deadline.after(0))
    assert incumbents(state) == ["slow", "fast"]
    assert len(proposer.asked) == 1
    assert "time" in state["ended_early"]


def test_a_model_that_fails_later_costs_nothing_that_was_found_and_one_that_fails_at_once_is_an_error() -> None:
    state, _ = solve(SCRIPT, ["fast", FAILS, "faster"], Objective.TIME, start="slow")
    assert incumbents(state) == ["slow", "fast"]
    assert state["ended_early"] == "scripted failed: The server is gone."
    with pytest.raises(ProposerError, match="gone"):
        solve(SCRIPT, [FAILS, "fast"], Objective.TIME, start="slow")


def test_every_measurement_is_taken_on_a_leased_core() -> None:
    sandbox = ScriptedSandbox(SCRIPT)
    solve(SCRIPT, ["fast", "faster"], Objective.TIME, start="slow", sandbox=sandbox)
    assert sandbox.ran == ["slow", "fast", "faster"]
    assert None not in sandbox.cores


def test_a_failing_program_measures_the_limits_of_the_paper_where_a_problem_names_none() -> None:
    failing = Report(Verdict.RUNTIME_ERROR, Measurement(0.1, 0.1, 9, 0.9), (), "scripted")
    used = measured(failing, Problem("p", "d", (TestCase(b"", b""),)).limits)
    assert (used.wall_time_s, used.peak_memory_kib, used.memory_integral_kib_s) == (90.0, 1_048_576, 94_371_840.0)


def test_a_code_that_runs_out_of_time_is_given_up_at_its_first_time_limit(sandbox: Sandbox) -> None:
    """What is recorded is the same: a time limit outranks what other cases come to, and the first one is told."""
    cases = (TestCase(b"1", b"2"), TestCase(b"2", b"2"), TestCase(b"3", b"3"))
    problem = Problem("p", "d", cases, limits=Limits(wall_time_s=0.5, cpu_time_s=0.5))
    bench = Workbench(
        problem.target(""), Workload(), sandbox, own_environment(), problem.limits, TimingCore(), problem=problem
    )
    report = bench.run_alone("if int(input()) > 1:\n    while True:\n        pass\nprint(1)\n")
    assert [case.verdict for case in report.cases] == ["wrong_answer", "time_limit"]
    assert report.verdict is Verdict.TIME_LIMIT
    assert measured(report, problem.limits).wall_time_s == 0.5


ADD = Problem("sum", "Print the sum of the numbers.", (TestCase(b"1 2", b"3"), TestCase(b"4", b"4")))
RIGHT = "print(sum(map(int, input().split())))\n"
SLOW = f"import time\ntime.sleep(0.3)\n{RIGHT}"


def answer(code: str) -> str:
    return f"<thinking>why</thinking>\n<solution>\n```python\n{code}```\n</solution>"


@pytest.fixture
def replay(tmp_path: Path) -> Any:
    def recorded(*answers: str) -> str:
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps({"content": each}) + "\n" for each in answers))
        return f"replay:{path}"

    return recorded


def test_an_answer_that_does_not_parse_is_run_and_fails_and_each_keeps_its_record(
    sandbox: Sandbox, replay: Any
) -> None:
    answers = ("I cannot.", answer("print((\n"), answer(SLOW), answer(RIGHT))
    with open_session(sandbox=sandbox, model=replay(*answers), store=None) as session:
        result = session.optimize(Job.from_problem(ADD), Search(iterations=4, selection=PAPER))
    assert [each.verdict for each in result.candidates] == [
        Verdict.COMPILE_ERROR,
        Verdict.RUNTIME_ERROR,
        Verdict.ACCEPTED,
        Verdict.ACCEPTED,
    ]
    assert [each.answer.text for each in result.candidates if each.answer] == list(answers)
    assert "SyntaxError" in result.candidates[1].reason
    assert [each and each.source for each in result.trajectory] == [None, "print((\n", SLOW, RIGHT]
    assert [each.passed for each in result.trajectory if each] == [False, True, True]
    assert result.ended_early == "the proposer had no further rewrite to propose"
    assert (result.improved, result.patch, result.gain) == (False, "", None)
    assert result.best_source == RIGHT
    assert 0 < result.best.wall_time_s < 90.0 == result.original.wall_time_s


def test_what_a_server_receives_is_what_training_renders(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    problem = replace(ADD, starter_code="import sys\n")
    codes = [SLOW, "print((\n", RIGHT]
    with serving(ModelServer(lambda _asked, number: answer(codes[number - 1]))) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        with open_session(sandbox=sandbox, model="openai/local", store=None) as session:
            result = session.optimize(Job.from_problem(problem), Search(iterations=2, selection=PAPER))
    before = [None, *result.trajectory[:-1]]
    for asked, best, candidate in zip(server.asked, before, result.candidates, strict=True):
        rendered = render_prompt(
            language=problem.language,
            objective=result.objective,
            problem_description=problem.task,
            original_solution=best.source if best else "",
            passed=best.passed if best else False,
            wall_time_s=best.measurement.wall_time_s if best else None,
            peak_memory_kib=best.measurement.peak_memory_kib if best else None,
            memory_integral_kib_s=best.measurement.memory_integral_kib_s if best else None,
        )
        assert asked.body["messages"] == rendered
        assert candidate.answer is not None
        assert list(candidate.answer.messages) == rendered
        assert candidate.answer.finish_reason == "stop"
        assert candidate.answer.prompt_tokens
        assert candidate.answer.completion_tokens
    assert result.usage is not None
    assert result.usage.requests == 3
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own


def test_a_cap_ends_the_run_early_and_the_result_says_so(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with serving(ModelServer(lambda _asked, _number: answer(RIGHT))) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        with open_session(sandbox=sandbox, model="openai/local", caps=Caps(requests=1), store=None) as session:
            result = session.optimize(Job.from_problem(ADD), Search(iterations=3, selection=PAPER))
    assert len(server.asked) == 1
    assert "request" in result.ended_early
    assert result.best_source == RIGHT


def test_a_cancelled_run_is_resumed_where_it_stood_or_thrown_away(
    sandbox: Sandbox, replay: Any, tmp_path: Path
) -> None:
    token, events, begun = CancelToken(), [], []

    def watch(event: ProgressEvent) -> None:
        events.append((event.stage, event.candidate))
        if (event.stage, event.candidate) == ("profile", "2.1"):
            token.cancel()

    model = replay(answer(SLOW), answer(RIGHT))
    job, search = Job.from_problem(replace(ADD, start=SLOW)), Search(iterations=2, selection=PAPER)
    with open_session(sandbox=sandbox, model=model, store=tmp_path / "runs") as session, pytest.raises(CancelledError):
        session.optimize(job, search, on_event=watch, cancel=token, on_begun=begun.append)
    again: list[tuple[str, str]] = []
    with open_session(sandbox=sandbox, model=model, store=tmp_path / "runs") as session:
        result = session.resume(begun[0], on_event=lambda event: again.append((event.stage, event.candidate)))
        assert ("profile", "1.1") in events
        assert [each for each in again if each[0] in {"generate", "profile"}] == [("profile", "2.1")]
        assert result.best_source == RIGHT
        assert len(result.trajectory) == 3
        assert session.resume(begun[0]) == result, "a finished run is told again"
        session.discard(begun[0])
        with pytest.raises(RunNotFoundError):
            session.resume(begun[0])


def test_a_run_is_not_resumed_on_another_machine(
    sandbox: Sandbox, replay: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, begun = CancelToken(), []
    job = Job.from_problem(replace(ADD, start=SLOW))
    with open_session(sandbox=sandbox, model=replay(answer(RIGHT)), store=tmp_path / "runs") as session:
        with pytest.raises(CancelledError):
            session.optimize(
                job,
                Search(iterations=1, selection=PAPER),
                on_event=lambda event: token.cancel() if event.stage == "generate" else None,
                cancel=token,
                on_begun=begun.append,
            )
        monkeypatch.setattr(type(sandbox), "describe", lambda _: ("bubblewrap of tomorrow", "rlimits"))
        with pytest.raises(TargetChangedError, match="another machine"):
            session.resume(begun[0])


@pytest.fixture
def apps() -> dict[str, Any]:
    """The first official problem of APPS in the shared data."""
    if not SHARED.is_file():
        pytest.skip(f"needs {SHARED.name} of the shared data")
    found: dict[str, Any] = json.loads(SHARED.read_text().splitlines()[0])
    return found


def test_a_replayed_model_solves_a_real_problem_from_nothing(
    sandbox: Sandbox, apps: dict[str, Any], replay: Any
) -> None:
    """Its first answer fails, its second is a solution of the data set, its third is slower."""
    tests = json.loads(apps["input_output"])
    cases = tuple(
        TestCase(given.encode(), wanted.encode())
        for given, wanted in list(zip(tests["inputs"], tests["outputs"], strict=True))[:1]
    )
    right = json.loads(apps["solutions"])[0]
    waits = f"import time\ntime.sleep(0.5)\n{right}"
    answers = [answer(f"{code}\n") for code in ("print(0)", right, waits)]
    problem = Problem(f"apps-{apps['problem_id']}", apps["question"], cases, starter_code=apps["starter_code"])
    with open_session(sandbox=sandbox, model=replay(*answers), store=None) as session:
        result = session.optimize(Job.from_problem(problem), Search(iterations=2, selection=PAPER))
    assert [incumbent.passed for incumbent in result.trajectory if incumbent] == [False, True, True]
    assert result.best_source.strip() == right.strip()
    assert result.best.wall_time_s > 0
    assert [each.verdict for each in result.candidates] == [Verdict.WRONG_ANSWER, Verdict.ACCEPTED, Verdict.ACCEPTED]


FUNCTION = """\
def common(left, right):
    return [value for value in left if value in right]


if __name__ == "__main__":
    for size in (400, 500, 600):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""


def test_a_function_of_a_file_is_measured_by_its_calls_and_nothing_is_offered(
    sandbox: Sandbox, replay: Any, tmp_path: Path
) -> None:
    file = tmp_path / "words.py"
    file.write_text(FUNCTION)
    fast = "def common(left, right):\n    known = set(right)\n    return [value for value in left if value in known]\n"
    wrong = "def common(left, right):\n    return sorted(set(left) & set(right))[1:]\n"
    model = replay(answer(wrong), answer("def common(left, right:\n"), answer(fast))
    with open_session(sandbox=sandbox, model=model, store=None) as session:
        job = Job.from_file(file, function="common")
        result = session.optimize(job, Search(iterations=3, max_seconds=120.0, selection=PAPER))
        with pytest.raises(UsageError, match="sum is a problem, and only versions of files are compared"):
            session.compare(Job.from_problem(ADD), job)
    assert [each.verdict for each in result.candidates] == [
        Verdict.WRONG_ANSWER,
        Verdict.COMPILE_ERROR,
        Verdict.ACCEPTED,
    ]
    assert [each.id for each in result.trajectory if each] == ["original", "original", "original", "3.1"]
    assert result.best_source == FUNCTION.replace(FUNCTION.partition("\n\n\n")[0] + "\n", fast)
    assert result.best.wall_time_s < result.original.wall_time_s
    assert (result.improved, result.patch) == (False, "")
    assert file.read_text() == FUNCTION
