"""The functions whose waiting time `make bench-latency` measures."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.judge_bench.corpus import CorpusRewrite, Kind, read_corpus
from scripts.latency_bench.versions import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

RULES, ONE_ANSWER = "rules", "one answer"
_EXAMPLES, _FUNCTIONS = ROOT / "examples", Path(__file__).with_name("functions")
_PROGRAMS = ROOT / "tests" / "agent" / "programs"
_REPLAYED = ("--model", "replay:answers.jsonl", "--iterations", "1", "--candidates", "1")
# Real code of several kinds, each with a rewrite as a language model would answer it.
_OF_CORPUS = (
    "category_trails",
    "column_profile",
    "courier_rounds",
    "frame_binning",
    "mail_merge",
    "parcel_booking",
    "phrase_hits",
    "room_clashes",
    "stock_alerts",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A function or a program, and where its rewrites come from.

    Attributes:
        name: in the table.
        group: `RULES`, or `ONE_ANSWER` for one recorded answer of a model.
        prepare: copies the files of the case into an empty folder.
        words: the arguments of `afterburner-agent run`, in that folder.
        own: the command that runs the file by itself; the table gives the run's time as a multiple of this.
        stdin: a file of the folder, as that command's input.
    """

    name: str
    group: str
    prepare: Callable[[Path], object]
    words: tuple[str, ...]
    own: tuple[str, ...]
    stdin: str = ""


def all_cases() -> tuple[Case, ...]:
    """All cases, the demo first."""
    examples = ("log_report", "contact_import", "render_queue", "offcuts", "text_table")
    first = {each.folder.name: each for each in reversed(read_corpus(("open",))) if each.kind is Kind.HONEST}
    return (
        *(_of_example(name) for name in examples),
        *(_of_corpus(name, first[name]) for name in _OF_CORPUS),
        *(_of_folder(name) for name in ("short_call", "with_pandas")),
        _program(),
    )


def _of_example(name: str) -> Case:
    file = f"{name}.py"
    prepare = partial(shutil.copy, _EXAMPLES / file)
    return Case(name, RULES, prepare, (file, "--model", "rules"), (sys.executable, file))


def _of_corpus(name: str, rewrite: CorpusRewrite) -> Case:
    def prepare(folder: Path) -> None:
        shutil.copytree(rewrite.folder / "project", folder, dirs_exist_ok=True)
        _write_answer(folder, rewrite.answer)

    words = (rewrite.file, "--function", rewrite.function, *_REPLAYED)
    return Case(name, ONE_ANSWER, prepare, words, (sys.executable, rewrite.file))


def _of_folder(name: str) -> Case:
    """A file beside this one: `NAME.py`, whose function is `f`, and the answer `NAME.answer`."""
    file = f"{name}.py"

    def prepare(folder: Path) -> None:
        shutil.copy(_FUNCTIONS / file, folder)
        _write_answer(folder, (_FUNCTIONS / f"{name}.answer").read_text("utf-8"))

    return Case(name, ONE_ANSWER, prepare, (file, "--function", "f", *_REPLAYED), (sys.executable, file))


def _program() -> Case:
    """A program in C++ that counts equal pairs. Its own run is the compiled program's, on the largest case."""

    def prepare(folder: Path) -> None:
        shutil.copy(_PROGRAMS / "slow.cpp", folder)
        _write_answer(folder, (_PROGRAMS / "fast.cpp").read_text("utf-8"), "cpp")
        (folder / "cases").mkdir()
        chance = random.Random(7)
        for name, length in (("empty", 0), ("small", 40), ("large", 25_000), ("larger", 26_250)):
            values = [chance.randrange(max(length, 1)) for _ in range(length)]
            pairs = sum(times * (times - 1) // 2 for times in Counter(values).values())
            (folder / "cases" / f"{name}.in").write_text(f"{length}\n{' '.join(map(str, values))}\n")
            (folder / "cases" / f"{name}.out").write_text(f"{pairs}\n")
        subprocess.run(["g++", "-O2", "-o", "own", "slow.cpp"], cwd=folder, check=True)  # noqa: S607 - on the PATH

    words = ("slow.cpp", "--cases", "cases", *_REPLAYED)
    return Case("program_cpp", ONE_ANSWER, prepare, words, ("./own",), stdin="cases/larger.in")


def _write_answer(folder: Path, code: str, language: str = "python") -> None:
    content = f"<thinking>\n</thinking>\n<solution>\n```{language}\n{code}```\n</solution>"
    (folder / "answers.jsonl").write_text(json.dumps({"content": content}) + "\n", encoding="utf-8")
