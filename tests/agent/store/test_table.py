"""What is kept of runs: it comes back as it was, it is bounded, and a bad store is said plainly."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from dataclasses import fields, make_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from afterburner.agent.errors import RunInUseError, RunNotFoundError, RunStoreError, TargetChangedError
from afterburner.agent.evidence.classes import Fit
from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.evidence.samples import SampleFigures
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.loop.results import RunResult
from afterburner.agent.option_kinds import EnvironmentKind
from afterburner.agent.options import BatchPlace, Caps, InputOptions, ModelOptions, Proof, RunSettings, Search
from afterburner.agent.store import table as table_module
from afterburner.agent.store.batch_state import Done, ManyState, SuiteCheck
from afterburner.agent.store.checkpoints import open_checkpointer, thread_of
from afterburner.agent.store.codec import from_bytes, from_text, to_bytes, to_text
from afterburner.agent.store.resumable import check_format, check_machine, check_unchanged
from afterburner.agent.store.sqlite import VERSION, database_path
from afterburner.agent.store.stored_run import Prepared, RunState, StoredRequest
from afterburner.agent.store.table import RunTable, open_runs
from afterburner.agent.types import (
    Decision,
    Gain,
    HeldOut,
    JudgedCandidate,
    Machine,
    Objective,
    Readability,
    Skipped,
    Target,
    Workload,
    WorkloadCall,
    WorkloadCase,
)
from afterburner.agent.usage import Usage, since
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from afterburner.agent.store.database import Database

MEASUREMENT = Measurement(0.5, 0.4, 10_240, 5120.0, 480)
GAIN = Gain(2.0, 1.8, 2.2, 0.95, 15)
MACHINE = Machine("Linux", "Quick CPU", 2, 8_388_608, "3.11", "bubblewrap 0.8.0", "rlimits")
TARGET = Target("/srv/a.py", "x = 'é\\r\\n'\r\n", "f", "a", "/srv", "/srv", notes=("a note",))
CALL = WorkloadCall(b"\x80\x04not to be unpickled.", "doctest", "f(1)", 0.1, b"[1]", 3)
WORKLOAD = Workload((CALL,), (CALL,), (WorkloadCase("1", b"", b"\xff", "cases"),), (), (Skipped("x", "y"),), 1e-9, True)
SETTINGS = RunSettings(
    "a.py",
    "f",
    InputOptions(calls="c.py", python="python3"),
    Search(objective=Objective.MEMORY, iterations=2, candidates=3, seed=7),
    Proof(receipt=True),
    ModelOptions(model="replay:b.jsonl", allow_imports=("numpy",)),
    Caps(cost_usd=1.5),
    BatchPlace(top=3, command=("-m", "shop")),
)
FIT = Fit("n", 0.0, 1.0, 1.0, 0.01, "n", ("n log n",))
SAMPLES = SampleFigures("CPU time", (0.1,), (0.2, 0.3))
RESULT = RunResult(
    "20260101-000000-aaaaaa", TARGET, Objective.TIME, "rules", True, "2x", GAIN, MEASUREMENT, MEASUREMENT,
    HeldOut(3, True, GAIN),
    (JudgedCandidate("1.1", 1, "rules", Verdict.ACCEPTED, Decision.IMPROVED, "2x", GAIN, MEASUREMENT, source="x"),),
    "--- a", "y", Readability(1, 2, 3), (("doctest", 2),), (Skipped("x", "y"),), MACHINE, 12.5,
    Evidence(Growth("len(x)", (GrowthPoint(3, 0.1, None),), FIT, FIT), samples=SAMPLES), ("note",),
)  # fmt: skip


on_both = pytest.mark.usefixtures("run_store")


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def asked(folder: str = "/srv") -> StoredRequest:
    return StoredRequest(SETTINGS, {"apply": True, "json": "-", "patch": None}, folder)


def begun(*run_ids: str) -> None:
    with open_runs() as runs:
        for run_id in run_ids:
            runs.begin(run_id, asked(), TARGET)


@on_both
def test_what_a_run_needs_comes_back_as_it_was() -> None:
    prepared = Prepared(SETTINGS, TARGET, WORKLOAD, MACHINE, 4.5)
    begun("20260101-000000-aaaaaa")
    with open_runs() as runs:
        runs.keep_prepared("20260101-000000-aaaaaa", prepared)
        runs.count_tests("20260101-000000-aaaaaa", 2)
    with open_runs() as runs:
        assert runs.asked("20260101-000000-aaaaaa") == asked()
        assert runs.target("20260101-000000-aaaaaa") == TARGET
        assert runs.prepared("20260101-000000-aaaaaa") == prepared
        assert runs.tests_begun("20260101-000000-aaaaaa") == 2
        assert runs.result("20260101-000000-aaaaaa") is None
        runs.finish("20260101-000000-aaaaaa", RESULT)
        assert runs.result("20260101-000000-aaaaaa") == RESULT
        [kept] = runs.all()
    assert (kept.state, kept.decision, kept.gain, kept.function) == (RunState.FINISHED, "improved", 2.0, "f")


@on_both
@pytest.mark.parametrize(
    ("candidate", "decision"), [(Decision.CONDITIONAL, "conditional"), (Decision.NOT_BETTER, "no_improvement")]
)
def test_without_an_offer_the_list_says_whether_a_rewrite_is_right_on_a_condition(
    candidate: Decision, decision: str
) -> None:
    begun("20260101-000000-aaaaaa")
    candidates = (replace(RESULT.candidates[0], decision=candidate),)
    with open_runs() as runs:
        runs.finish("20260101-000000-aaaaaa", replace(RESULT, improved=False, gain=None, candidates=candidates))
        [kept] = runs.all()
    assert (kept.decision, kept.gain) == (decision, None)


def test_inputs_are_not_in_the_file_any_more_when_a_run_is_over() -> None:
    calls = tuple(replace(CALL, blob=b"private-%d " % number * 2_000) for number in range(5))
    prepared = Prepared(SETTINGS, TARGET, replace(WORKLOAD, calls=calls), MACHINE, 4.5)
    begun("20260101-000000-aaaaaa")
    with open_runs() as runs, open_checkpointer(runs.database):
        runs.keep_prepared("20260101-000000-aaaaaa", prepared)
    folder = database_path().parent
    assert any(b"private-" in path.read_bytes() for path in folder.iterdir() if path.is_file())
    with open_runs() as runs:
        runs.finish("20260101-000000-aaaaaa", RESULT)
    assert not any(b"private-" in path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_every_setting_survives_as_json() -> None:
    changed = {each.name: getattr(SETTINGS, each.name) for each in fields(RunSettings)}
    assert from_text(to_text(StoredRequest(RunSettings(**changed), {}, "/"))).settings == SETTINGS


def test_the_settings_of_another_version_are_refused() -> None:
    with pytest.raises(RunStoreError, match="another version"):
        from_text('{"settings": {"iterations": "many"}, "outputs": {}, "folder": "/"}')


def test_a_result_that_was_stored_without_samples_can_still_be_read() -> None:
    old_kind = make_dataclass("Evidence", ["growth", "receipt", "larger_inputs"])
    old_kind.__module__ = Evidence.__module__
    old = replace(RESULT, evidence=old_kind(None, None, "61x"))
    assert from_bytes(RunResult, to_bytes(old)).evidence == Evidence(larger_inputs="61x")


def test_settings_of_the_version_before_images_are_read_and_those_with_one_come_back() -> None:
    text = json.loads(to_text(StoredRequest(SETTINGS, {}, "/")))
    for name in ("environment", "environment_from"):
        del text["settings"]["inputs"][name]
    assert from_text(json.dumps(text)).settings == SETTINGS
    chosen = InputOptions(environment=EnvironmentKind.IMAGE, environment_from="shop:1")
    assert from_bytes(InputOptions, to_bytes(chosen)) == chosen


@pytest.mark.parametrize("data", [b"", b"\xc1", to_bytes(MACHINE), to_bytes([1])], ids=len)
def test_what_is_no_result_is_refused(data: bytes) -> None:
    with pytest.raises(RunStoreError, match="another version"):
        from_bytes(RunResult, data)


def test_paths_lead_to_the_same_place_from_another_folder(tmp_path: Path) -> None:
    settings = asked("/srv/shop").settings_from(tmp_path)
    places = (settings.file, settings.inputs.calls, settings.models.model, settings.inputs.python)
    assert places == ("/srv/shop/a.py", "/srv/shop/c.py", "replay:/srv/shop/b.jsonl", "python3")
    assert asked(str(tmp_path)).settings_from(tmp_path) == SETTINGS


def test_models_of_the_engine_are_the_same_from_another_folder(tmp_path: Path) -> None:
    began, elsewhere = tmp_path / "began", tmp_path / "elsewhere"
    for folder in (began / "base", began / "models" / "mine", elsewhere / "Qwen" / "Qwen2.5-3B"):
        folder.mkdir(parents=True)

    def resumed(model: str) -> str:
        named = replace(SETTINGS, models=replace(SETTINGS.models, model=model))
        return replace(asked(str(began)), settings=named).settings_from(elsewhere).models.model

    same = "vllm:Qwen/Qwen2.5-3B", "vllm:Qwen/Qwen2.5-3B?max_tokens=512", "vllm:/srv/base", "rules", "openai/m"
    assert [resumed(model) for model in same] == list(same)
    assert resumed("vllm:base") == f"vllm:{began}/base"
    assert resumed("rules,vllm:models/mine?max_tokens=9") == f"rules,vllm:{began}/models/mine?max_tokens=9"
    assert resumed("vllm:./gone") == f"vllm:{began}/gone"
    assert resumed("vllm:base?lora=a/b&max_tokens=9") == f"vllm:{began}/base?lora={began}/a/b&max_tokens=9"
    assert resumed("vllm:Qwen/Qwen2.5-3B?lora=a") == f"vllm:Qwen/Qwen2.5-3B?lora={began}/a"


def test_only_the_owner_may_read_it() -> None:
    begun("20260101-000000-aaaaaa")
    with open_runs() as runs, runs.claimed("20260101-000000-aaaaaa"):
        paths = [database_path(), *(database_path().parent / "running").iterdir()]
        assert [path.stat().st_mode & 0o077 for path in paths] == [0, 0]
        assert database_path().parent.stat().st_mode & 0o077 == 0


@on_both
def test_a_run_is_found_by_its_id_its_beginning_or_as_the_latest() -> None:
    with open_runs() as runs, pytest.raises(RunNotFoundError, match="No run is stored"):
        runs.find("latest")
    begun("20260101-000000-aaaaaa", "20260102-000000-bbbbbb", "20260102-000000-cccccc")
    with open_runs() as runs:
        assert runs.find("20260101").run_id == "20260101-000000-aaaaaa"
        assert runs.find("latest").run_id == "20260102-000000-cccccc"
        assert runs.find("20260102-000000-bbbbbb").run_id == "20260102-000000-bbbbbb"
        with pytest.raises(RunNotFoundError, match=r"2 runs begin with '20260102'.*-cccccc.*-bbbbbb"):
            runs.find("20260102")
        with pytest.raises(RunNotFoundError, match="Did you mean 20260101-000000-aaaaaa"):
            runs.find("20260101-000000-aaaaab")
        with pytest.raises(RunNotFoundError, match="afterburner-agent runs"):
            runs.find("x")


@on_both
def test_a_run_can_be_claimed_once_and_is_free_when_its_process_is_killed(run_store: str) -> None:
    begun("20260101-000000-aaaaaa", "20260101-000000-bbbbbb")
    code = (
        "import time\nfrom afterburner.agent.store.table import RunTable, open_runs\n"
        "with open_runs() as runs, runs.claimed('20260101-000000-aaaaaa'):\n"
        "    print('claimed', flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        with open_runs() as runs:
            with pytest.raises(RunInUseError, match="another process"), runs.claimed("20260101-000000-aaaaaa"):
                pass
            assert [run.state for run in runs.all()] == [RunState.INTERRUPTED, RunState.RUNNING]
        other.kill()
    with open_runs() as runs, runs.claimed("20260101-000000-aaaaaa"), open_runs() as others:
        assert others.find("20260101-000000-a").state is RunState.RUNNING
    with open_runs() as runs:
        assert runs.find("20260101-000000-a").state is RunState.INTERRUPTED
    if run_store == "postgresql":
        assert not (database_path().parent / "running").exists(), "no trace of such a run on this machine"


def test_the_lock_that_a_killed_process_has_left_goes_with_its_run() -> None:
    begun("20260101-000000-aaaaaa")
    left = database_path().parent / "running" / "20260101-000000-aaaaaa"
    left.parent.mkdir()
    left.touch()
    with open_runs() as runs:
        runs.forget("20260101-000000-aaaaaa")
    assert not left.exists()


@on_both
def test_the_oldest_runs_are_forgotten_with_their_checkpoints_but_none_that_is_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from langgraph.checkpoint.base import empty_checkpoint  # noqa: PLC0415 - heavy

    monkeypatch.setattr(table_module, "KEPT_RUNS", 2)
    run_ids = [f"2026010{number}-000000-abcdef" for number in range(1, 6)]
    with open_runs() as first, first.claimed(run_ids[0]):
        for run_id in run_ids:
            begun(run_id)
            with open_runs() as runs, open_checkpointer(runs.database) as checkpointer:
                config = thread_of(run_id)
                config["configurable"]["checkpoint_ns"] = ""
                checkpointer.put(config, empty_checkpoint(), {}, {})
        with open_runs() as runs, open_checkpointer(runs.database) as checkpointer:
            threads = {each.config["configurable"]["thread_id"] for each in checkpointer.list(None)}
            assert threads == {run.run_id for run in runs.all()} == {run_ids[0], *run_ids[3:]}
            runs.finish(run_ids[4], RESULT)
            assert not list(checkpointer.list(thread_of(run_ids[4]))), "a finished run needs none"


@on_both
def test_large_workloads_of_interrupted_runs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "KEPT_BYTES", 2500)
    large = Prepared(SETTINGS, TARGET, replace(WORKLOAD, calls=(replace(CALL, blob=bytes(1000)),)), MACHINE, 0.0)
    for number in range(1, 5):
        begun(f"2026010{number}-000000-abcdef")
        with open_runs() as runs:
            runs.keep_prepared(f"2026010{number}-000000-abcdef", large)
    with open_runs() as runs:
        assert len(runs.all()) < 4
        assert runs.all()[0].run_id.startswith("20260104")


@on_both
def test_runs_that_are_over_hold_no_inputs_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "KEPT_BYTES", 2500)
    large = Prepared(SETTINGS, TARGET, replace(WORKLOAD, calls=(replace(CALL, blob=bytes(1000)),)), MACHINE, 0.0)
    run_ids = [f"2026010{number}-000000-abcdef" for number in range(1, 7)]
    with open_runs() as runs:
        for number, run_id in enumerate(run_ids):
            begun(run_id)
            if number == 1:
                runs.finish(run_id, RESULT)
            else:
                runs.keep_prepared(run_id, large)
        kept = {run.run_id for run in runs.all()}
    assert run_ids[1] in kept
    assert run_ids[0] not in kept
    assert len(kept) < len(run_ids) - 1, "of those that hold inputs more went"


class ListedBefore:
    """A store whose list of claims was read before another process took one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claimed_among(self, _run_ids: Iterable[str]) -> set[str]:
        return set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


@on_both
def test_a_run_that_is_taken_up_while_old_ones_are_forgotten_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    group, member, later = "20260101-000000-aaaaaa", "20260101-000000-aaaaaa.01", "20260102-000000-bbbbbb"
    with open_runs() as runs:
        runs.begin(group, asked(), None)
    begun(member)
    monkeypatch.setattr(table_module, "KEPT_RUNS", 1)
    for claimed in (group, member):
        with open_runs() as other, other.claimed(claimed):
            begun(later)
            with open_runs() as runs:
                assert {run.run_id for run in runs.all(members=True)} == {group, member, later}
                runs.forget(later)
                RunTable(cast("Database", ListedBefore(runs.database))).begin(later, asked(), TARGET)
                assert {run.run_id for run in runs.all(members=True)} == {group, member, later}
                runs.forget(later)
    begun(later)
    with open_runs() as runs:
        assert [run.run_id for run in runs.all(members=True)] == [later]
        assert runs.database.claimed_among((group, member, later)) == set()


def test_a_store_of_a_newer_version_is_left_alone() -> None:
    begun("20260101-000000-aaaaaa")
    with sqlite3.connect(database_path()) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(RunStoreError, match="newer version"), open_runs():
        pass


def test_a_store_that_was_damaged_is_named_with_what_to_do() -> None:
    begun("20260101-000000-aaaaaa")
    data = bytearray(database_path().read_bytes())
    data[200:] = b"\x5a" * (len(data) - 200)
    database_path().write_bytes(data)
    with pytest.raises(RunStoreError, match=r"runs\.sqlite cannot be used: .*Move the file away"), open_runs() as runs:
        runs.all()


def test_a_full_disk_is_told_and_costs_nothing_that_was_stored() -> None:
    begun("20260101-000000-aaaaaa")
    large = Prepared(SETTINGS, TARGET, replace(WORKLOAD, calls=(replace(CALL, blob=bytes(10**6)),)), MACHINE, 0.0)
    with open_runs() as runs:
        [pages] = runs.database.connection.execute("PRAGMA page_count").fetchone()
        runs.database.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(RunStoreError, match=r"full.*Make room"):
            runs.keep_prepared("20260101-000000-aaaaaa", large)
    with open_runs() as runs:
        assert runs.prepared("20260101-000000-aaaaaa") is None
        assert runs.asked("20260101-000000-aaaaaa") == asked()


def test_a_run_goes_on_only_where_all_is_as_it_was(tmp_path: Path) -> None:
    begun("20260101-000000-aaaaaa")
    with open_runs() as runs:
        kept = runs.find("latest")
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\r\n")
    target = replace(TARGET, path=str(path), source="x = 1\r\n")
    check_unchanged(kept, target)
    path.write_bytes(b"x = 1\n")
    with pytest.raises(TargetChangedError, match=r"a\.py was changed.*restore the file"):
        check_unchanged(kept, target)
    path.unlink()
    with pytest.raises(TargetChangedError, match=r"No such file.*The run is kept"):
        check_unchanged(kept, target)
    check_machine("x", MACHINE, replace(MACHINE, memory_kib=1))
    with pytest.raises(TargetChangedError, match=r"under Python 3\.11, and this is Python 3\.12"):
        check_machine("x", MACHINE, replace(MACHINE, python="3.12"))
    check_format(kept)
    with pytest.raises(RunStoreError, match="another version"):
        check_format(replace(kept, format=kept.format + 1))


def test_a_run_over_many_targets_comes_back_and_stays_and_goes_with_its_members(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite = Suite(3, ("tests/test_a.py::test_b",), complete=True)
    state = ManyState(
        command=("-m", "app"),
        project_root="/srv",
        profiled_s=1.5,
        suite=suite,
        ranked=(RankedTarget("/srv/a.py", "f", 1.0, 0.5, 3, ("tests/test_a.py",)),),
        done=(Done("improved", "2x", "20260101-000000-aaaaaa.01"),),
        used_s=12.0,
        usage=Usage(requests=2),
        tests=SuiteCheck(suite, suite),
    )
    group, other = "20260101-000000-aaaaaa", "20260102-000000-bbbbbb"
    with open_runs() as runs:
        runs.begin(group, asked(), None)
        assert runs.many(group) is None
        runs.begin(f"{group}.01", asked(), TARGET)
        runs.keep_many(group, state)
        assert runs.many(group) == state
        runs.begin(f"{group}.02", asked(), TARGET)
        [listed] = runs.all()
        assert (listed.is_many, listed.file, listed.state) == (True, "/srv/a.py", RunState.INTERRUPTED)
        assert runs.find("latest") == runs.find(group) == runs.find("2026") == listed
        assert not runs.find(f"{group}.02").is_many
        assert runs.members(group) == [f"{group}.01", f"{group}.02"]
        runs.finish_many(group, state, "improved")
        assert runs.many(group) == state
        assert (runs.find(group).state, runs.find(group).decision) == (RunState.FINISHED, "improved")
        monkeypatch.setattr(table_module, "KEPT_RUNS", 2)
        runs.begin(other, asked(), TARGET)
        assert len(runs.all(members=True)) == 4, "its members are no runs of their own"
        monkeypatch.setattr(table_module, "KEPT_RUNS", 1)
        with runs.claimed(group):
            runs.begin("20260103-000000-cccccc", asked(), TARGET)
            assert runs.members(group)
        runs.begin("20260104-000000-dddddd", asked(), TARGET)
        assert [run.run_id for run in runs.all(members=True)] == ["20260104-000000-dddddd"]


def test_of_a_shared_budget_a_run_tells_what_is_its_own() -> None:
    before = Usage(requests=2, cached=1, prompt_tokens=100, completion_tokens=50, cost_usd=0.5, lost=1, lost_tokens=9)
    now = replace(before, requests=5, cached=0, prompt_tokens=130, cost_usd=0.75, lost=2, lost_tokens=20, cap="reached")
    assert since(now, before) == Usage(
        requests=3, prompt_tokens=30, cost_usd=0.25, lost=1, lost_tokens=11, cap="reached"
    )
