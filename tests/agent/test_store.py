"""The run store: what a checkpoint holds comes back as it was, and a bad folder is said plainly."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from afterburner.agent.inputs.line_profile import LineCost, LineProfile
from afterburner.agent.judge.confirmation import Confirmation, Incumbent
from afterburner.agent.judge.input_gains import RealCalls
from afterburner.agent.judge.measuring.sampling import Block, Sample, SampleMode
from afterburner.agent.loop.state import CHECKPOINTED_TYPES, empty_state
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.sqlite_files import write_ahead
from afterburner.agent.store.checkpoints import new_run_id, open_checkpointer, thread_of
from afterburner.agent.store.connect import open_database
from afterburner.agent.types import AnswerRecord, Candidate, Decision, Gain, HeldOut, JudgedCandidate
from afterburner.sandbox import AfterburnerError, Measurement, Verdict
from afterburner.sandbox.folders import state_folder

MEASUREMENT = Measurement(0.5, 0.4, 10_240, 5120.0, 480)
GAIN = Gain(2.0, 1.8, 2.2, 0.95, 15)
SAMPLE = Sample(MEASUREMENT, MEASUREMENT, [], mode=SampleMode.IN_TURNS, complaints=[])  # tuples come back as lists
ANSWER = AnswerRecord("m", ({"role": "user", "content": "?"},), "no code", "stop", 7, 3, 0.01)
VALUES = [
    Incumbent("1.2", "def f():\n    return 'é\\r\\n'\n", MEASUREMENT, 2.0),
    Candidate("1.1", 1, "rules: deque", error="no such function", answer=ANSWER),
    Confirmation(
        "1.2", Decision.IMPROVED, Verdict.ACCEPTED, "2.00x", GAIN, MEASUREMENT, MEASUREMENT, HeldOut(3, True, GAIN)
    ),
    Confirmation(
        "1.3",
        Decision.TOO_NOISY,
        None,
        "?",
        None,
        MEASUREMENT,
        MEASUREMENT,
        HeldOut(3, True, None),
        blocks=[Block([SAMPLE], [SAMPLE], [[MEASUREMENT], [MEASUREMENT]])],
        real=RealCalls(7, GAIN, "CPU time", MEASUREMENT, MEASUREMENT, [Block([SAMPLE], [SAMPLE], [[MEASUREMENT], []])]),
    ),
    LineProfile("1.2", [LineCost(3, 0.75, 12)], "the time was up"),
    JudgedCandidate("1.2", 1, "rules", Verdict.ACCEPTED, Decision.IMPROVED, "2x", GAIN, MEASUREMENT, source="x = 1\n"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.usefixtures("run_store")
def test_state_survives_the_checkpoint_with_its_types(value: object) -> None:
    state = empty_state() | {"records": [value], "used_s": 0.1 + 0.2, "slowest_s": None, "iteration": 3}
    checkpoint = empty_checkpoint() | {"channel_values": state, "channel_versions": dict.fromkeys(state, "1")}
    config = thread_of("20260101-000000-aaaaaa")
    config["configurable"]["checkpoint_ns"] = ""
    with open_database() as database, open_checkpointer(database) as checkpointer:
        checkpointer.put(config, checkpoint, {}, checkpoint["channel_versions"])
    with open_database() as database, open_checkpointer(database) as checkpointer:
        found = checkpointer.get_tuple(config)
    assert found is not None
    assert found.checkpoint["channel_values"] == state


@dataclass
class Stranger:
    """What nobody has allowed to come back."""

    x: int = 1


@pytest.mark.usefixtures("run_store")
def test_what_is_not_registered_does_not_come_back_as_its_type() -> None:
    with open_database() as database, open_checkpointer(database) as checkpointer:
        kind, data = checkpointer.serde.dumps_typed([Stranger()])
        assert not isinstance(checkpointer.serde.loads_typed((kind, data))[0], Stranger)


def test_every_type_of_the_state_is_registered() -> None:
    assert {type(value) for value in VALUES} <= set(CHECKPOINTED_TYPES)


@pytest.fixture
def own_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_the_store_lies_in_the_users_state_folder_and_is_theirs_alone(own_state_folder: Path) -> None:
    with open_database():
        pass
    assert (own_state_folder / "afterburner-agent" / "runs.sqlite").is_file()
    assert state_folder().stat().st_mode & 0o077 == 0


def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(AfterburnerError, match="XDG_STATE_HOME"), open_database():
        pass


def test_a_damaged_store_is_named(own_state_folder: Path) -> None:
    path = own_state_folder / "afterburner-agent" / "runs.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, and long enough to be sure of it" * 50)
    with pytest.raises(AfterburnerError, match=r"runs\.sqlite"), open_database():
        pass


def test_a_file_that_another_process_reads_is_switched_once_it_has_read(tmp_path: Path) -> None:
    """SQLite itself does not wait there: of several runs that begin the store at once all but one would fail."""
    path = tmp_path / "store"
    with closing(sqlite3.connect(path, check_same_thread=False)) as other, closing(sqlite3.connect(path)) as own:
        other.executescript("CREATE TABLE t (x); BEGIN; SELECT * FROM t")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            own.execute("PRAGMA journal_mode = WAL")
        threading.Timer(0.5, other.rollback).start()
        write_ahead(own, 60.0)
        assert own.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("opened", ["runs.sqlite", "answers.sqlite"])
def test_what_opens_the_store_twice_keeps_other_processes_from_clearing_its_log_away(
    own_state_folder: Path, opened: str
) -> None:
    """A run over many targets has the store open while each of its runs opens it; others come and go meanwhile."""
    stores = {"runs.sqlite": open_database, "answers.sqlite": lambda: closing(AnswerStore())}
    path = own_state_folder / "afterburner-agent" / opened
    log = path.with_name(f"{opened}-wal")
    come_and_go = (
        "import sqlite3, sys\nconnection = sqlite3.connect(sys.argv[1])\n"
        "connection.execute('PRAGMA table_list').fetchall()\nconnection.close()"
    )
    with stores[opened]():
        with stores[opened]():
            pass
        subprocess.run([sys.executable, "-c", come_and_go, str(path)], check=True)
        assert log.exists(), "who closes the file last takes it away"
    assert not log.exists()


def test_run_ids_differ() -> None:
    assert len({new_run_id() for _ in range(50)}) == 50
