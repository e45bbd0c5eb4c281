"""The benchmark of the selection: it can be continued, counts what it says, and writes that down."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scripts.selection_bench import picture, show
from scripts.selection_bench.book import Book, BookError, load
from scripts.selection_bench.busy import busy_cores
from scripts.selection_bench.plan import BUSY, FUNCTIONS, GAINS, IDENTICAL, IDLE, JUDGING, forecast_s, plan, share_out
from scripts.selection_bench.summary import goals, p95, rows

ROOT = Path(__file__).parents[3]
MACHINE = {"cpu_model": "Quick CPU", "cpus": 2, "system": "Linux 6.1 x86_64", "python": "3.11"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.bench_selection", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_run_is_continued_and_shown(tmp_path: Path) -> None:
    place = tmp_path / "book.json"
    what = ("--only", "idle", "--functions", "5us")
    first = run(*what, "--trials", "1", "--json", str(place))
    assert first.returncode in (0, 1), first.stderr
    (made,) = load(place).trials
    assert len(made["screened"]) == len(made["decisions"]) == 6
    assert made["alone"]["decision"]
    assert made["seconds"] > 0
    again = run(*what, "--trials", "1", "--resume", str(place))
    assert "0 of 1 trials are to be made" in again.stderr
    assert load(place).trials == [made]
    assert len(load(place).sessions) == 2
    shown = run("--show", str(place))
    assert shown.returncode == first.returncode
    assert re.search(r"^idle +5 µs +1 ", shown.stdout, re.MULTILINE), shown.stdout


def test_a_book_from_elsewhere_is_not_continued(tmp_path: Path) -> None:
    mine = Book(MACHINE, 0.05, 0.01)
    assert mine.continues(Book(dict(MACHINE), 0.05, 0.01))
    assert not mine.continues(Book({**MACHINE, "cpus": 4}, 0.05, 0.01))
    assert not mine.continues(Book(MACHINE, 0.02, 0.01))
    assert not mine.continues(Book(MACHINE, 0.05, 0.01, rule=mine.rule - 1)), "decisions were made otherwise"
    place = tmp_path / "book.json"
    mine.save(place)
    assert load(place) == mine
    for text in ("", "[]", '{"schema": 9}', '{"schema": 1, "other": 1}'):
        place.write_text(text)
        with pytest.raises(BookError):
            load(place)


def test_trials_are_shared_out_and_come_in_turns() -> None:
    assert share_out([60, 60, 60, 60, 40, 20], 300) == [60, 60, 60, 60, 40, 20]
    assert sum(share_out([3, 2, 1], 10)) == 10
    trials = plan(["idle", "busy", "power"], FUNCTIONS, 300, 150)
    assert Counter((trial.condition, trial.gain) for trial in trials) == {
        (IDLE, IDENTICAL): 300, (BUSY, IDENTICAL): 300, (IDLE, GAINS[0]): 150, (IDLE, GAINS[1]): 150,
    }  # fmt: skip
    assert len({trial.key for trial in trials}) == len(trials)
    assert {trial.function for trial in trials[:30]} == {function.name for function in FUNCTIONS}
    assert forecast_s(trials[:600]) > forecast_s(trials[:300]) > 0


def record(number: int, **more: Any) -> dict[str, Any]:
    alone = {"decision": "not_better", "ratio": 1.001, "low": 0.98, "high": 1.02, "blocks": 8, "seconds": 1.0}
    base = {
        "key": f"idle/50 ms/1/{number}",
        "condition": IDLE,
        "function": "50 ms",
        "gain": IDENTICAL,
        "number": number,
        "screened": [1.0] * 6,
        "decisions": ["not_better"] * 6,
        "offered": None,
        "faster": None,
        "seconds": 8.0,
        "alone": alone,
    }
    return base | more


def gain(number: int, size: float, offered: int | None) -> dict[str, Any]:
    return record(number, gain=size, faster=3, offered=offered, alone=None, seconds=14.0)


def book(*trials: dict[str, Any]) -> Book:
    return Book(MACHINE, 0.05, 0.01, list(trials), [], [{"at": "2026-01-02T03:04:05Z", "load": 0.1}])


def met(of: Book) -> list[bool | None]:
    return [goal.met for goal in goals(of)]


def test_the_goals_are_met_only_by_enough_trials() -> None:
    few, enough = ([record(n) for n in range(count)] for count in (298, 299))
    assert met(book()) == [None] * 8
    assert met(book(*few)) == [None, None, None, None, True, None, None, None]
    assert met(book(*enough))[0] is True
    assert met(book(*enough[1:], record(0, offered=2)))[0] is False
    busy = [each | {"condition": BUSY} for each in enough]
    assert met(book(*busy))[:2] == [None, True]
    judging = [each | {"condition": JUDGING} for each in enough]
    assert met(book(*judging, gain(0, GAINS[0], 3) | {"condition": JUDGING}))[5:] == [True, True, None]
    unmeasured = [each | {"screened": [None] * 6} for each in enough]
    assert met(book(*unmeasured))[0] is None, "what was not measured proves nothing"


def test_a_gain_is_found_where_the_faster_one_is_offered() -> None:
    tens = [gain(n, GAINS[0], 3) for n in range(9)]
    assert met(book(*tens, gain(9, GAINS[0], None)))[2] is True
    assert met(book(*tens, gain(9, GAINS[0], None), gain(10, GAINS[0], 0)))[2] is False
    assert met(book(gain(0, GAINS[1], 3)))[3] is True


def test_a_decision_that_takes_too_long_misses_its_goal() -> None:
    slow = [record(n, seconds=16.0) for n in range(2)]
    assert met(book(*(record(n) for n in range(18))))[4] is True
    assert met(book(*(record(n) for n in range(18)), *slow))[4] is False
    assert met(book(record(0), gain(0, GAINS[0], 3) | {"seconds": 15.1}))[4] is False
    assert p95([1.0, 2.0, 3.0]) == 3.0
    assert p95([float(n) for n in range(1, 101)]) == 95.0


def test_the_page_and_the_picture_are_written_from_the_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "trust.md"
    page.write_text(f"before\n{show.BEGIN}\nold\n{show.END}\nafter\n")
    monkeypatch.setattr(show, "PAGE", page)
    known = book(*(record(n) for n in range(4)), record(4, condition=BUSY), gain(0, GAINS[0], 3))
    known.examples = [{"example": "log_report", "seconds": 12.0, "candidates": 4}]
    known.sessions.append({"at": "2026-01-03T03:04:05Z", "load": 3.0})
    monkeypatch.setattr("scripts.sandbox_pictures.IMAGES", tmp_path)
    show.write_page(known)
    written = page.read_text()
    assert written.startswith("before\n")
    assert written.endswith(f"{show.END}\nafter\n")
    assert "old" not in written
    assert "| idle | 50 ms | 4 | 0 | 52.7% | 4 | 0 | 52.7% | 1 of 1 |" in written
    assert "| log_report | 1 | 4 | 12.0 | 12.0 |" in written
    assert "2026-01-02 to 2026-01-03" in written
    assert "NOT idle" in written
    assert f"(images/{picture.NAME})" in written
    show.write_page(known)
    assert page.read_text() == written
    drawn = (tmp_path / picture.NAME).read_text()
    assert "5 tests, none accepted" in drawn
    assert drawn.count("<circle") == 2 * 5 + 2, "an estimate and a lower bound of each, and the key"
    assert [row.condition for row in rows(known)] == [IDLE, IDLE, BUSY, BUSY]


def test_the_page_in_the_repository_can_be_written() -> None:
    text = show.PAGE.read_text("utf-8")
    assert text.count(show.BEGIN) == text.count(show.END) == 1
    assert text.index(show.BEGIN) < text.index(show.END)


def test_other_work_keeps_every_core_busy_and_ends() -> None:
    def children() -> set[str]:
        return {pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()}

    before = children()
    with busy_cores() as count:
        assert count == len(os.sched_getaffinity(0))
        assert len(children() - before) == count
    assert children() <= before


def test_other_work_ends_with_whoever_wanted_it() -> None:
    script = (
        "import os, sys\nfrom scripts.selection_bench.busy import busy_cores\n"
        "with busy_cores():\n"
        "    print(*open('/proc/self/task/%d/children' % os.getpid()).read().split(), flush=True)\n"
        "    os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    started = [int(word) for word in done.stdout.split()]
    assert started, done.stderr
    until = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in started) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)
