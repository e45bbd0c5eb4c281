"""The doorway: one session for many jobs, from several threads; text that is not saved; trust; cancelling."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from afterburner.agent import Job, Proof, Search, TrustQuestion, TrustRequest, open_session
from afterburner.agent.code.text_edits import apply_edits
from afterburner.agent.errors import NotTrustedError, RunNotFoundError, TargetError, WorkloadError
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.sandbox import CancelledError, CancelToken, UsageError, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.job.trust import Trust
    from afterburner.agent.session.session import Session
    from afterburner.sandbox import Sandbox

SLOW = """\
def common(left, right):
    found = []
    for word in left:
        if word in right:
            found.append(word)
    return found


if __name__ == "__main__":
    for size in (300, 400, 500, 600):
        words = [str(number) for number in range(size)]
        assert len(common(words, words[::-1])) == size
"""
CANCELS = int(os.environ.get("AFTERBURNER_TEST_CANCELS", "1"))  # at each stage; `make soak-cancels` makes 20
QUICK = Search(iterations=1, max_seconds=120.0)


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with open_session(sandbox=sandbox, store=None) as opened:
        yield opened


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    path = tmp_path / "shop" / "words.py"
    path.parent.mkdir()
    path.write_text(SLOW)
    return path


@pytest.fixture
def children() -> Callable[[], set[int]]:
    """The processes that this one has started and that are still there."""

    def found() -> set[int]:
        pids: set[int] = set()
        for task in Path("/proc/self/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                pids |= {int(pid) for pid in (task / "children").read_text().split()}
        return pids

    return found


@pytest.mark.nightly
@pytest.mark.timed
def test_two_threads_work_on_two_jobs_of_one_session(session: Session, slow: Path) -> None:
    other = slow.with_name("names.py")
    other.write_text(SLOW.replace("common", "shared"))
    jobs = [Job.from_file(slow, function="common"), Job.from_file(other, function="shared")]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: session.optimize(job, QUICK), jobs))
    assert [result.target.function for result in results] == ["common", "shared"]
    assert all(result.improved for result in results), [result.summary for result in results]
    assert len({result.run_id for result in results}) == 2
    assert slow.read_text() == SLOW


@pytest.mark.nightly
@pytest.mark.usefixtures("untimed_sessions")
def test_an_editors_buffers_count_in_place_of_the_disk(session: Session, slow: Path) -> None:
    """The target calls a helper that exists in another unsaved buffer alone."""
    slow.write_text("def common(left, right):\n    raise RuntimeError('what is on the disk')\n")
    helper = slow.with_name("words_helper.py")
    text = "from words_helper import tidy\n\n\n" + SLOW.replace("    return found\n", "    return tidy(found)\n")
    job = Job.from_text(slow, text, function="common", others={str(helper): "def tidy(found):\n    return found[:]\n"})
    result = session.optimize(job, QUICK)
    assert result.improved, result.summary
    assert result.target.source == text
    assert apply_edits(text, result.edits) == result.best_source
    assert result.edits
    assert not helper.exists()
    assert "what is on the disk" in slow.read_text()


@pytest.mark.nightly
@pytest.mark.usefixtures("untimed_sessions")
def test_a_session_times_on_the_cores_that_it_is_given(
    sandbox: Sandbox, slow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks").chmod(0o1777)
    monkeypatch.setattr(cores, "_LOCKS", tmp_path / "locks")
    last, job = max(cores.usable_cpus()), Job.from_file(slow, function="common")
    for cpus in ([last], [min(cores.usable_cpus())]):
        with open_session(sandbox=sandbox, store=None, cores=cpus) as session:
            session.optimize(job, QUICK, proof=Proof(growth=False))
        leased = {each.name for each in (tmp_path / "locks" / "afterburner-cores").iterdir()}
        assert f"cpu-{cpus[0]}.lock" in leased
        assert all(re.match(rf"cpu-{cpus[0]}[-.]", name) for name in leased), leased  # whoever waits has one, too
        for each in (tmp_path / "locks" / "afterburner-cores").iterdir():
            each.unlink()
    with pytest.raises(UsageError, match="give some of"), open_session(cores=[last + 1000]):
        pass


def test_a_buffer_that_is_no_python_is_refused_where_it_is_wrong(session: Session, slow: Path) -> None:
    with pytest.raises(TargetError, match="line 1"):
        session.optimize(Job.from_text(slow, "def common(:\n", function="common"))


def test_trust_is_asked_for_once_and_nothing_runs_without_it(sandbox: Sandbox, slow: Path) -> None:
    asked: list[TrustRequest] = []
    events: list[ProgressEvent] = []
    job = Job.from_file(slow, function="common")

    def distrust(request: TrustRequest) -> bool:
        asked.append(request)
        return False

    with open_session(sandbox=sandbox, store=None, trust=distrust) as session:
        for _ in range(2):
            with pytest.raises(NotTrustedError, match="not trusted"):
                session.optimize(job, on_event=events.append)
        with pytest.raises(NotTrustedError):
            session.verify(job, job, on_event=events.append)
        with pytest.raises(NotTrustedError):
            session.survey(slow.parent)
    assert [request.question for request in asked] == [TrustQuestion.RUN_CODE]
    assert Path(asked[0].folder) == slow.parent
    assert events == []


class At:
    """Cancels so long after the run has told of a stage for the first time."""

    def __init__(self, kind: EventKind, delay_s: float) -> None:
        self.token = CancelToken()
        self.cancelled_s: float | None = None
        self._kind, self._delay_s = kind, delay_s
        self._timer: threading.Timer | None = None

    def __call__(self, event: ProgressEvent) -> None:
        if self._timer is None and event.kind is self._kind:
            self._timer = threading.Timer(self._delay_s, self._cancel)
            self._timer.start()

    def join(self) -> None:
        """Wait until the thread that cancelled has ended."""
        assert self._timer is not None
        self._timer.join()

    def _cancel(self) -> None:
        self.cancelled_s = time.monotonic()
        self.token.cancel()


STAGES = (
    EventKind.STAGING,
    EventKind.MEASURING_ORIGINAL,
    EventKind.JUDGING,
    EventKind.TIMING,
    EventKind.CONFIRMING,
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("stage", STAGES)
def test_a_cancelled_run_stops_and_leaves_nothing(
    sandbox: Sandbox, slow: Path, tmp_path: Path, stage: EventKind, children: Callable[[], set[int]]
) -> None:
    """At moments drawn by chance; the session goes on to serve others, and the run can be thrown away."""
    chance = random.Random(stage)
    threads, before = threading.active_count(), children()
    job = Job.from_file(slow, function="common")
    with open_session(sandbox=sandbox, store=tmp_path / "store") as session:
        for _ in range(CANCELS):
            cancel = At(stage, chance.uniform(0.0, 0.2))
            begun: list[str] = []
            with pytest.raises(CancelledError):
                session.optimize(job, QUICK, on_event=cancel, cancel=cancel.token, on_begun=begun.append)
            assert cancel.cancelled_s is not None
            took_s = time.monotonic() - cancel.cancelled_s
            cancel.join()
            sys.stdout.write(f"cancelled while {stage.value}: gone after {took_s:.3f} s\n")
            with session.runs() as runs:
                known = {run.run_id for run in runs.all()}
            if begun[0] in known:
                session.discard(begun[0])
            with pytest.raises(RunNotFoundError):
                session.discard(begun[0])
        assert not sandbox.stopped
    assert children() <= before
    assert threading.active_count() <= threads


def test_a_job_that_was_cancelled_before_it_began_does_nothing(session: Session, slow: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        session.optimize(Job.from_file(slow, function="common"), cancel=token)


@pytest.mark.slow
def test_two_buffers_are_verified_against_one_another(session: Session, slow: Path) -> None:
    saved = Job.from_file(slow, function="common")
    slow.write_text("nothing = 0\n")
    original = Job.from_text(slow, SLOW, function="common")
    wrong = Job.from_text(slow, SLOW.replace("in right", "not in right"), function="common")
    assert isinstance(session.verify(original, wrong, Search(max_seconds=20.0)).found, Counterexample)
    with pytest.raises(TargetError):
        session.verify(saved, original)
    with pytest.raises(UsageError, match="by one name"):
        session.verify(original, Job.from_text(slow, SLOW.replace("common", "shared"), function="shared"))


def test_a_tree_in_which_another_file_does_not_compile_is_no_difference_of_the_function(
    session: Session, slow: Path
) -> None:
    helper = slow.with_name("helper.py")
    helper.write_text("def tidy(found):\n    return found\n", encoding="utf-8")
    slow.write_text(f"from helper import tidy\n{slow.read_text('utf-8')}", encoding="utf-8")

    def git(*words: str) -> None:
        who = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"]}
        who |= {f"GIT_{each}_{what}": "a@example.org" for each in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=slow.parent, env=who, check=True)

    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "before")):
        git(*words)
    slow.write_text(slow.read_text("utf-8").replace("found = []", "found = list()"), encoding="utf-8")
    helper.write_text("def tidy(found):\n    return (found\n", encoding="utf-8")
    git("commit", "-q", "-a", "-m", "after")
    before, after = (Job.from_revision(slow, name, function="common") for name in ("HEAD~1", "HEAD"))
    with pytest.raises(WorkloadError, match=r"helper\.py does not compile: line 2: SyntaxError: '\(' was never closed"):
        session.compare(before, after, Search(max_seconds=30))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "stage",
    [
        EventKind.RUNNING_BEFORE,
        EventKind.COMPARING_BEHAVIOUR,
        pytest.param(EventKind.MEASURING_BOTH, marks=pytest.mark.nightly),
    ],
)
def test_a_cancelled_comparison_of_two_buffers_stops_and_leaves_nothing(
    session: Session, slow: Path, stage: EventKind, children: Callable[[], set[int]]
) -> None:
    before = Job.from_text(slow, SLOW, function="common")
    after = Job.from_text(slow, SLOW.replace("in right", "in set(right)"), function="common")
    slow.write_text("nothing = 0\n")  # what is on the disk does not count
    processes, heard, cancel = children(), list[ProgressEvent](), At(stage, random.Random(stage).uniform(0.0, 0.2))

    def on_event(event: ProgressEvent) -> None:
        heard.append(event)
        cancel(event)

    with pytest.raises(CancelledError):
        session.compare(before, after, on_event=on_event, cancel=cancel.token)
    cancel.join()
    assert children() <= processes
    assert {event.job for event in heard} == {f"{slow}::common"}
    assert len({event.run_id for event in heard}) == 1
    fractions = [event.fraction for event in heard]
    assert fractions == sorted(fractions)


def test_a_session_that_ends_cancels_the_jobs_of_other_threads(sandbox: Sandbox, slow: Path) -> None:
    job, begun = Job.from_file(slow, function="common"), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with open_session(sandbox=sandbox, store=None) as session:
            running = pool.submit(session.optimize, job, on_event=lambda _: begun.set())
            assert begun.wait(600)
        assert running.done()  # the block has waited for it
        assert isinstance(running.exception(), CancelledError)
    with pytest.raises(UsageError, match="session is closed"):
        session.optimize(job)


def test_a_job_can_be_cancelled_while_another_one_asks_about_trust(sandbox: Sandbox, slow: Path) -> None:
    job, token = Job.from_file(slow, function="common"), CancelToken()
    asked, begun, answered = threading.Event(), threading.Event(), threading.Event()

    def think(_request: TrustRequest) -> bool:
        asked.set()
        return not answered.wait(600)

    with open_session(sandbox=sandbox, store=None, trust=think) as session, ThreadPoolExecutor(2) as pool:
        first = pool.submit(session.optimize, job)
        assert asked.wait(600)
        second = pool.submit(session.optimize, job, cancel=token, on_begun=lambda _: begun.set())
        assert begun.wait(600)
        token.cancel()
        assert isinstance(second.exception(timeout=600), CancelledError)
        assert not first.done()
        answered.set()
        assert isinstance(first.exception(timeout=600), NotTrustedError)


def test_a_job_can_be_cancelled_while_it_asks_about_trust_itself(sandbox: Sandbox, slow: Path) -> None:
    asked, answered = threading.Event(), threading.Event()

    def think(_request: TrustRequest) -> bool:
        asked.set()
        return answered.wait(600)

    token = CancelToken()
    with open_session(sandbox=sandbox, store=None, trust=think) as session, ThreadPoolExecutor(1) as pool:
        running = pool.submit(session.optimize, Job.from_file(slow, function="common"), cancel=token)
        assert asked.wait(600)
        token.cancel()
        assert isinstance(running.exception(timeout=600), CancelledError)
        answered.set()


def test_a_hook_about_trust_that_fails_is_asked_again(sandbox: Sandbox, slow: Path) -> None:
    asked: list[TrustRequest] = []

    def fail(request: TrustRequest) -> bool:
        asked.append(request)
        raise RuntimeError("the window is gone")

    with open_session(sandbox=sandbox, store=None, trust=fail) as session:
        for _ in range(2):
            with pytest.raises(RuntimeError, match="the window is gone"):
                session.optimize(Job.from_file(slow, function="common"))
    assert len(asked) == 2


@pytest.mark.parametrize("said", ["no", 1, None])
def test_what_a_hook_about_trust_returns_has_to_be_a_decision(sandbox: Sandbox, slow: Path, said: object) -> None:
    def answer(_request: TrustRequest) -> Any:
        return said

    async def think(_request: TrustRequest) -> bool:
        return False

    job = Job.from_file(slow, function="common")
    for trust in (answer, think):
        with open_session(sandbox=sandbox, store=None, trust=cast("Trust", trust)) as session:
            for work in (session.optimize, lambda job: session.compare(job, job)):
                with pytest.raises(UsageError, match="trust returned"):
                    work(job)


def test_an_answer_about_trust_is_of_the_folder_that_was_there(sandbox: Sandbox, slow: Path, tmp_path: Path) -> None:
    asked: list[TrustRequest] = []

    def distrust(request: TrustRequest) -> bool:
        asked.append(request)
        return False

    link, other = tmp_path / "link", tmp_path / "other"
    shutil.copytree(slow.parent, other)
    with open_session(sandbox=sandbox, store=None, trust=distrust) as session:
        for leads_to in (slow.parent, slow.parent, other):
            link.unlink(missing_ok=True)
            link.symlink_to(leads_to)
            with pytest.raises(NotTrustedError):
                session.optimize(Job.from_file(link / slow.name, function="common"))
    assert [request.folder for request in asked] == [str(link)] * 2


def test_a_job_may_end_the_session_from_its_own_progress(sandbox: Sandbox, slow: Path) -> None:
    with open_session(sandbox=sandbox, store=None) as session:
        with pytest.raises(CancelledError):
            session.optimize(Job.from_file(slow, function="common"), on_event=lambda _: session.end_jobs())
        with pytest.raises(UsageError, match="session is closed"):
            session.optimize(Job.from_file(slow, function="common"))


def test_a_survey_ranks_the_functions_of_a_folder(session: Session, slow: Path) -> None:
    (slow.parent / "test_words.py").write_text(
        "from words import common\n\n\ndef test_common():\n    words = [str(n) for n in range(900)]\n"
        "    assert common(words, words) == words\n"
    )
    events: list[ProgressEvent] = []
    ranked = session.survey(slow.parent, python=sys.executable, on_event=events.append)
    assert [(Path(target.path).name, target.function) for target in ranked][:1] == [("words.py", "common")]
    assert 0.5 < ranked[0].own_share <= ranked[0].share
    assert [event.kind for event in events] == [EventKind.PROFILING_PROJECT]
    with pytest.raises(UsageError, match="python=3"):
        session.survey(slow.parent, python=3)  # type: ignore[arg-type]
