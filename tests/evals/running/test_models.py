"""An evaluation of a model behind a real server: caps, failures, and what is paid for."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
import typer
from fault_proxy import Fault, FaultProxy, Kind
from model_server import ModelServer, StoredRequest, serving
from running_problems import FAST, LOOP, SLOW, WRONG, answer

from afterburner.agent import Caps, UsageError
from afterburner.agent.errors import ProposerError
from afterburner.evals.commands.carrying_out import carry_out
from afterburner.evals.commands.showing import advice_after, line_of
from afterburner.evals.errors import EvaluationError
from afterburner.evals.evaluation import load_evaluation
from afterburner.evals.running.evaluate import begin_evaluation, evaluate
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.progress import Step
from afterburner.evals.running.settings import EvaluationSettings, Resources
from afterburner.evals.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.evals.running.progress import EvaluationEvent

pytestmark = pytest.mark.slow
CODES = (WRONG, SLOW, LOOP, FAST)
GENERATIONS, ITERATIONS = 2, 1


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], str]:
    def point_at(server: ModelServer) -> str:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-evaluation-0123456789abcdef")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        return "openai/a-model"

    return point_at


def settings_for(dataset: Path, model: str) -> EvaluationSettings:
    return EvaluationSettings(
        str(dataset), model=model, iterations=ITERATIONS, generations=GENERATIONS, repeats=1, objective="time"
    )


def test_a_cap_stops_it_and_with_a_larger_one_nothing_is_paid_for_twice(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    told: list[EvaluationEvent] = []
    with serving(ModelServer(lambda _, number: answer(CODES[(number - 1) % len(CODES)]))) as server:
        folder = begin_evaluation(tmp_path / "run", "a model", settings_for(benchmark("one"), asks(server)))
        capped = evaluate(folder, Resources(caps=Caps(requests=3), jobs=1))
        assert not capped.is_complete
        assert "requests" in capped.failed["one"]
        assert not list((tmp_path / "run" / "problems").glob("*.parquet")), "a capped problem is not scored"
        assert len(server.asked) == 3
        assert "with a larger cap" in advice_after(capped)
        assert advice_after(capped).endswith("--max-requests N")
        done = evaluate(folder, Resources(caps=Caps(requests=10), jobs=1), on_event=told.append)
        assert done.is_complete, done.failed
        assert len(server.asked) == GENERATIONS * (1 + ITERATIONS)
    last = told[-1]
    assert (last.done, last.problems, last.requests) == (1, 1, len(server.asked)), "the first command's count, too"
    assert "1 of 1 done · 4 requests, " in line_of(last)
    assert line_of(last).endswith(" tokens in the run so far, at a price that is not known")
    rows = read_rows(tmp_path / "run", "candidates")
    assert sorted((row["generation"], row["iteration"]) for row in rows) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert all("Print the sum" in row["prompt"] for row in rows)
    assert len({row["answer"] for row in rows}) == len(CODES), "generations share no answers"
    (problem,) = load_evaluation(tmp_path / "run").problems
    assert problem.passed.tolist() == [[False, True], [True, True]]
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or b"sk-evaluation" not in path.read_bytes(), path


def test_without_the_key_a_resumed_run_fails_before_any_work(
    benchmark: Callable[..., Path],
    asks: Callable[[ModelServer], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[object] = []
    with serving(ModelServer(lambda _, number: answer(CODES[(number - 1) % len(CODES)]))) as server:
        folder = begin_evaluation(tmp_path / "run", "a model", settings_for(benchmark("one"), asks(server)))
        monkeypatch.delenv("OPENAI_API_KEY")
        with pytest.raises(ProposerError, match="OPENAI_API_KEY"):
            evaluate(RunFolder.open(folder.path), Resources(jobs=1), on_event=told.append)
        assert server.asked == []
    assert told == []


def test_a_server_that_is_not_there_is_one_message_before_any_work(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        model = asks(server)
    with pytest.raises(ProposerError, match="cannot be used"):
        begin_evaluation(tmp_path / "run", "a model", settings_for(benchmark("one"), model))
    assert not (tmp_path / "run").exists(), "another try needs the name"


@pytest.mark.nightly
def test_a_server_that_goes_away_ends_the_run_and_not_each_problem_in_turn(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        settings = replace(settings_for(benchmark("one", "two", "three"), asks(server)), timeout_s=5.0)
        folder = begin_evaluation(tmp_path / "run", "a model", settings)
    outcome = evaluate(folder, Resources(jobs=1))
    assert len(outcome.failed) == 1
    assert not outcome.is_complete


@pytest.mark.sampled(1)
@pytest.mark.parametrize("status", [401, 404])
def test_a_server_that_turns_all_requests_away_is_asked_once_and_not_for_each_problem(
    benchmark: Callable[..., Path],
    asks: Callable[[ModelServer], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
) -> None:
    with (
        serving(ModelServer(lambda *_: answer(FAST))) as server,
        serving(FaultProxy(server.url, lambda _: Fault(Kind.STATUS, status))) as proxy,
    ):
        settings = replace(settings_for(benchmark("one", "two", "three"), asks(server)), generations=1)
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        folder = begin_evaluation(tmp_path / "run", "a model", settings)
        refused = evaluate(folder, Resources(jobs=1))
        assert len(refused.failed) == len(proxy.arrived) == 1
        assert refused.is_empty
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        mended = evaluate(RunFolder.open(folder.path), Resources(jobs=1))
    assert mended.is_complete, mended.failed
    assert len(mended.done) == 3


def test_a_model_that_its_server_does_not_list_is_a_caution_at_the_start_and_no_error(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    told: list[EvaluationEvent] = []
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        server.served, server.owner, server.is_vllm = ["another"], "library", False
        settings = replace(settings_for(benchmark("one"), asks(server)), generations=1)
        folder = begin_evaluation(tmp_path / "run", "a model", settings)
        assert evaluate(folder, Resources(jobs=1), on_event=told.append).is_complete
    assert told[0].step is Step.CAUTION
    assert "does not list a model of that name. It lists: another." in told[0].detail
    assert [each.step for each in told].count(Step.CAUTION) == 1


def test_a_run_that_came_to_nothing_leaves_its_folder_to_the_next_try(
    benchmark: Callable[..., Path],
    asks: Callable[[ModelServer], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        serving(ModelServer(lambda *_: answer(FAST))) as server,
        serving(FaultProxy(server.url, lambda _: Fault(Kind.STATUS, 404))) as proxy,
    ):
        settings = replace(settings_for(benchmark("one"), asks(server)), generations=1)
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        for is_new in (False, True):
            path = tmp_path / f"run-{is_new}"
            opening = partial(begin_evaluation, path, "a model", settings)
            with pytest.raises(typer.Exit):
                carry_out(opening, Resources(jobs=1), is_new=is_new, quiet=True, verbose=False)
            assert path.exists() is not is_new, "eval resume removes nothing"
    resumed, begun = capsys.readouterr().out.split("nothing to store")
    assert "eval resume" in resumed
    assert f"Nothing came of this run, so {path} is removed again." in begun


def test_a_resumed_run_says_at_once_that_its_server_is_not_there(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    told: list[EvaluationEvent] = []
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        settings = replace(settings_for(benchmark("one"), asks(server)), generations=1)
        folder = begin_evaluation(tmp_path / "run", "a model", settings)
    outcome = evaluate(RunFolder.open(folder.path), Resources(jobs=1), on_event=told.append)
    assert not outcome.is_complete
    assert told[0].step is Step.CAUTION
    assert line_of(told[0]).endswith("Only answers that are stored already can be used.")
    assert {event.requests for event in told} == {0}, "what never arrived is no request"


@pytest.mark.nightly
def test_a_prompt_that_the_server_refuses_says_nothing_of_the_other_problems(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        serving(ModelServer(lambda *_: answer(FAST))) as server,
        serving(FaultProxy(server.url, {1: Fault(Kind.STATUS, 400)})) as proxy,
    ):
        settings = replace(settings_for(benchmark("one", "two", "three"), asks(server)), generations=1)
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        outcome = evaluate(begin_evaluation(tmp_path / "run", "a model", settings), Resources(jobs=1))
    assert (len(outcome.failed), len(outcome.done)) == (1, 2)


def test_a_split_of_a_single_file_is_refused_before_any_work(
    asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    dataset = tmp_path / "problems.jsonl"
    dataset.write_text("{}\n", encoding="utf-8")
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        settings = replace(settings_for(dataset, asks(server)), split="tset")
        with pytest.raises(UsageError, match=r"--split tset: .* is one file, which is read whole"):
            begin_evaluation(tmp_path / "run", "a model", settings)
        assert server.asked == []
    assert not (tmp_path / "run").exists()


def test_a_cap_of_money_without_a_price_is_refused_before_any_work(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    told: list[object] = []
    with serving(ModelServer(lambda *_: answer(FAST))) as server:
        settings = settings_for(benchmark("one"), asks(server))
        capped = Resources(caps=Caps(cost_usd=1.0))
        with pytest.raises(ProposerError, match="--max-cost cannot be kept"):
            begin_evaluation(tmp_path / "run", "a model", settings, capped)
        assert not (tmp_path / "run").exists()
        folder = begin_evaluation(tmp_path / "run", "a model", settings)
        with pytest.raises(ProposerError, match="--max-cost cannot be kept"):
            evaluate(folder, capped, on_event=told.append)
    assert told == []


@pytest.mark.nightly
def test_a_server_that_fails_says_nothing_of_the_model(
    benchmark: Callable[..., Path], asks: Callable[[ModelServer], str], tmp_path: Path
) -> None:
    healthy = threading.Event()

    def say(_asked: StoredRequest, number: int) -> str:
        if number > 1 and not healthy.is_set():
            raise ConnectionError("gone")  # the connection is closed without a word
        return answer(CODES[(number - 1) % len(CODES)])

    server = ModelServer(say)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] - the test's output stays clean
    with serving(server):
        folder = begin_evaluation(tmp_path / "run", "a model", settings_for(benchmark("one"), asks(server)))
        broken = evaluate(folder, Resources(caps=Caps(requests=4), jobs=1))
        assert set(broken.failed) == {"one"}
        healthy.set()
        assert evaluate(folder, Resources(jobs=1)).is_complete
    assert [row["verdict"] for row in read_rows(tmp_path / "run", "candidates")].count("compile_error") == 0


def test_a_run_is_not_gone_on_with_another_dataset_or_on_another_machine(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    dataset = benchmark("one")
    folder = begin_evaluation(tmp_path / "run", "x", settings_for(dataset, recording({"one": [FAST]})))
    about = dataset / "benchmark.json"
    before = about.read_text("utf-8")
    about.write_text(json.dumps({**json.loads(before), "name": "changed"}), "utf-8")
    with pytest.raises(EvaluationError, match="is not what the run was begun with"):
        evaluate(folder, Resources())
    about.write_text(before, "utf-8")
    folder.about["machine"]["cpu_model"] = "another"  # type: ignore[index]
    with pytest.raises(EvaluationError, match="cpu_model another, now"):
        evaluate(folder, Resources())


def test_a_recording_that_lacks_a_problem_scores_nothing(
    benchmark: Callable[..., Path], recording: Callable[..., str], tmp_path: Path
) -> None:
    settings = settings_for(benchmark("one"), recording({"another": [FAST], "a third": [FAST]}))
    outcome = evaluate(begin_evaluation(tmp_path / "run", "x", settings), Resources())
    assert set(outcome.failed) == {"one"}


def test_settings_are_within_their_bounds() -> None:
    with pytest.raises(UsageError, match="--repeats 0"):
        EvaluationSettings("venus", model="replay:x", repeats=0)
    with pytest.raises(UsageError, match="--references -1"):
        EvaluationSettings("venus", model="replay:x", references=-1)
    none = EvaluationSettings("venus", model="replay:x", references=0)
    assert EvaluationSettings.from_document(none.to_document()) == none
