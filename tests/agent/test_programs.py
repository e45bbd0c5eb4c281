"""Whole programs in every other language of the sandbox: judged, timed, offered; recorded answers and a model."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, serving

from afterburner.agent.cli.run_document import document_of
from afterburner.agent.code.languages import SPOKEN
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError, TargetError, WorkloadError
from afterburner.agent.evidence.receipt import receipt_bytes
from afterburner.agent.evidence.receipt_reading import parse_receipt
from afterburner.agent.evidence.replaying import Answer, replay_receipt
from afterburner.agent.options import InputOptions, ModelOptions, Proof, RunSettings, Search
from afterburner.agent.session.shortcuts import optimize, optimize_with
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import UsageError, Verdict
from afterburner.sandbox.errors import ToolchainMissingError
from afterburner.sandbox.languages import LANGUAGES, find_language
from afterburner.sandbox.toolchains import find_toolchain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import CommandLine

LONG_S = 600.0  # a busy machine
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.timeout(1.5 * LONG_S)]

PROGRAMS = Path(__file__).parent / "programs"
SUFFIXES = {"cpp": ".cpp", "java": ".java", "javascript": ".js", "go": ".go", "ruby": ".rb", "rust": ".rs"}
COMMENTS = {"ruby": "#"}
SIZES = {"ruby": 2_000, "java": 30_000}  # so that the slow program takes some tenths of a second
COMPILED = {"cpp", "java", "go", "rust"}
USUAL_SIZE = 25_000
TIMED = {"cpp"}  # the others at night


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def needs(language: str) -> None:
    try:
        find_toolchain(find_language(language))
    except ToolchainMissingError as error:
        pytest.skip(str(error))


def text_of(speed: str, language: str) -> str:
    return (PROGRAMS / f"{speed}{SUFFIXES[language]}").read_text("utf-8")


def project(folder: Path, language: str, size: int, answers: list[str]) -> Path:
    """A slow program, its cases, and a recording with these answers."""
    cases = folder / "cases"
    cases.mkdir(parents=True)
    chance = random.Random(7)
    for name, length in (("empty", 0), ("small", 40), ("large", size), ("larger", size + size // 20)):
        values = [chance.randrange(max(length, 1)) for _ in range(length)]
        pairs = sum(times * (times - 1) // 2 for times in Counter(values).values())
        (cases / f"{name}.in").write_text(f"{length}\n{' '.join(map(str, values))}\n")
        (cases / f"{name}.out").write_text(f"{pairs}\n")
    recording = "".join(json.dumps({"content": answer_with(code, language)}) + "\n" for code in answers)
    (folder / "answers.jsonl").write_text(recording, encoding="utf-8")
    program = folder / f"prog{SUFFIXES[language]}"
    program.write_text(text_of("slow", language), encoding="utf-8")
    return program


def answer_with(code: str, language: str) -> str:
    return f"<thinking>\nCount each value.\n</thinking>\n<solution>\n```{language}\n{code}```\n</solution>"


def commented(code: str, language: str) -> str:
    return f"{COMMENTS.get(language, '//')} the very same\n\n{code}\n"


def test_every_other_language_of_the_sandbox_is_tried() -> None:
    assert {*SUFFIXES, "python"} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_model_is_told_of_the_compiler_is_what_the_sandbox_does(language: str) -> None:
    entry = LANGUAGES[language]
    done = " ".join((entry.compile or "", *entry.run, *(f"{k}={v}" for k, v in entry.environment.items())))
    told = SPOKEN[language].built.rstrip(".").replace(",", "").split()
    assert [word for word in told if (word.startswith("-") or "=" in word) and word not in done] == []
    assert any(program in SPOKEN[language].built.lower() for program in (entry.programs[0], language)) or not done


@pytest.mark.slow
@pytest.mark.parametrize("language", SUFFIXES)
def test_what_is_wrong_broken_or_known_is_refused_with_the_reason(language: str, tmp_path: Path) -> None:
    needs(language)
    fast, slow = text_of("fast", language), text_of("slow", language)
    wrong = fast.replace("pairs += ", "pairs += 1 + ")
    broken = fast.replace("pairs += ", "pears += ")
    answers = [commented(slow, language), wrong, broken, commented(wrong, language)]
    file = project(tmp_path / "p", language, 300, answers)
    result = optimize(
        file,
        model=f"replay:{tmp_path / 'p' / 'answers.jsonl'}",
        cases=str(tmp_path / "p" / "cases"),
        candidates=3,
        iterations=2,
        max_seconds=LONG_S,
    )
    assert [record.decision for record in result.candidates] == [
        Decision.REFUSED, Decision.WRONG, Decision.WRONG, Decision.REFUSED,
    ]  # fmt: skip
    same, unequal, unbuilt, again = result.candidates
    assert (same.verdict, same.reason) == (None, "the same code as original")
    assert unequal.verdict is Verdict.WRONG_ANSWER
    assert "expected" in unequal.reason
    assert unequal.counterexample is not None
    # the shortest that was not held out, which depends on how long the cases took
    shown = re.match(r"stdin '(40|300)\\n.*\(case (small|large)\): line 1: expected '", unequal.counterexample)
    assert shown, unequal.counterexample
    assert shown.groups() in {("40", "small"), ("300", "large")}
    assert unbuilt.counterexample is None
    assert unbuilt.verdict is (Verdict.COMPILE_ERROR if language in COMPILED else Verdict.RUNTIME_ERROR)
    if language in COMPILED:
        assert "error" in unbuilt.reason or "undefined: pears" in unbuilt.reason, "the compiler's message"
    assert (again.iteration, again.reason) == (2, "the same code as 1.2")
    assert not result.improved
    assert [record.answer for record in result.candidates] == [None] * 4, "prompts are kept only if asked"
    assert file.read_text("utf-8") == slow


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.parametrize(
    "language", [pytest.param(each, marks=[] if each in TIMED else pytest.mark.nightly) for each in SUFFIXES]
)
def test_a_program_that_grows_slower_is_proved_faster(language: str, tmp_path: Path) -> None:
    needs(language)
    fast = text_of("fast", language)
    file = project(tmp_path / "p", language, SIZES.get(language, USUAL_SIZE), [fast])
    settings = RunSettings(
        file=str(file),
        models=ModelOptions(model=f"replay:{tmp_path / 'p' / 'answers.jsonl'}"),
        inputs=InputOptions(cases=str(tmp_path / "p" / "cases")),
        search=Search(iterations=1, max_seconds=LONG_S),
        proof=Proof(receipt=True),
    )
    result = optimize_with(settings)
    assert result.improved, [(record.decision, record.reason) for record in result.candidates]
    assert result.gain is not None
    assert result.gain.low > 1.05
    assert result.best_source == fast
    assert result.patch.startswith(f"--- a/prog{SUFFIXES[language]}\n")
    assert result.readability is not None
    assert result.readability.branches_added < 0
    assert result.held_out.inputs >= 1
    assert result.target.language == language
    assert result.machine.toolchain
    document = document_of(result, settings).to_json()
    assert document["target"] == {"file": str(file), "function": None, "language": language}
    assert document["machine"]["toolchain"] == result.machine.toolchain
    assert result.evidence is not None
    assert result.evidence.receipt is not None
    receipt = parse_receipt(receipt_bytes(result.evidence.receipt))
    assert receipt.target.language == language
    assert receipt.project == (), "the program saw no other file"


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.nightly
def test_the_receipt_of_a_program_is_confirmed_and_a_forged_one_denied(tmp_path: Path) -> None:
    from dataclasses import replace  # noqa: PLC0415

    needs("cpp")
    file = project(tmp_path / "p", "cpp", USUAL_SIZE, [text_of("fast", "cpp")])
    result = optimize_with(
        RunSettings(
            file=str(file),
            models=ModelOptions(model=f"replay:{tmp_path / 'p' / 'answers.jsonl'}"),
            inputs=InputOptions(cases=str(tmp_path / "p" / "cases")),
            search=Search(iterations=1, max_seconds=LONG_S),
            proof=Proof(receipt=True),
        )
    )
    assert result.evidence is not None
    assert result.evidence.receipt is not None
    receipt = parse_receipt(receipt_bytes(result.evidence.receipt))
    replayed = replay_receipt(receipt, Deadline.after(LONG_S))
    assert replayed.answer is Answer.CONFIRMED, replayed.reason
    assert replayed.machine.toolchain == result.machine.toolchain
    assert replayed.notes == ()
    forged = replace(receipt, winner=receipt.winner.replace("pairs += ", "pairs += 2 * "))
    denied = replay_receipt(forged, Deadline.after(LONG_S))
    assert denied.answer is Answer.DENIED
    assert "expected" in denied.reason


HOLDS_ALL = """\
const values = require('fs').readFileSync(0, 'utf8').split(/\\s+/).filter(Boolean).map(Number);
const kept = [];
for (let i = 0; i < 3000000; i++) kept.push({ i });
let largest = 0;
for (const value of values) largest = Math.max(largest, value + kept.length - kept.length);
console.log(largest);
"""
HOLDS_LITTLE = HOLDS_ALL.replace("3000000", "3")


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("objective", [Objective.MEMORY, Objective.INTEGRAL])
def test_a_program_is_made_leaner(objective: Objective, tmp_path: Path) -> None:
    needs("javascript")
    file = project(tmp_path / "p", "javascript", 50, [HOLDS_LITTLE])
    file.write_text(HOLDS_ALL)
    for case in (tmp_path / "p" / "cases").glob("*.in"):
        case.with_suffix(".out").write_text(f"{max(map(int, case.read_text().split()))}\n")
    result = optimize(
        file,
        objective=objective.value,
        model=f"replay:{tmp_path / 'p' / 'answers.jsonl'}",
        cases=str(tmp_path / "p" / "cases"),
        iterations=1,
        max_seconds=LONG_S,
    )
    assert result.improved, [(record.decision, record.reason) for record in result.candidates]
    assert result.gain is not None
    assert result.gain.low > 1.5
    assert result.best.peak_memory_kib < result.original.peak_memory_kib


@pytest.fixture
def model() -> Iterator[ModelServer]:
    answer = answer_with(text_of("fast", "cpp").replace("pairs += ", "pairs += 3 * "), "cpp")
    with serving(ModelServer(lambda _asked, _number: answer)) as server:
        yield server


@pytest.mark.slow
def test_a_model_is_told_the_language_and_asked_ever_more_boldly(program: CommandLine, model: ModelServer) -> None:
    needs("cpp")
    folder = program.home / "p"
    file = project(folder, "cpp", 300, [])
    done = program(
        "run", file.name, "--cases", "cases", "--model", "openai/local", "--iterations", "3", "--temperature", "0.2:1",
        "--json", "-", "--max-seconds", str(LONG_S),
        folder=folder,
        OPENAI_API_KEY="sk-none",
        OPENAI_API_BASE=model.url,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    decisions = [(each["decision"], each["reason"]) for each in document["candidates"]]
    assert [decision for decision, _ in decisions] == ["wrong", "refused", "refused"]
    assert decisions[1][1] == decisions[2][1] == "the same code as 1.1"
    assert [request.body["temperature"] for request in model.asked] == pytest.approx([0.2, 0.6, 1.0])
    prompt = model.asked[0].prompt
    assert "solution in C++" in prompt
    assert "Python" not in prompt
    assert "g++ with -O2 -std=gnu++17" in prompt
    assert text_of("slow", "cpp").strip() in prompt
    assert prompt.count("```c++") >= 2, "the program and the format of the answer"


@pytest.mark.slow
def test_what_cannot_be_done_with_a_program_is_said_before_any_work(tmp_path: Path) -> None:
    file = project(tmp_path / "p", "cpp", 10, [text_of("fast", "cpp")])
    cases, recording = str(tmp_path / "p" / "cases"), f"replay:{tmp_path / 'p' / 'answers.jsonl'}"
    with pytest.raises(TargetError, match=r"is a C\+\+ program.*--cases DIR"):
        optimize(file, model=recording)
    with pytest.raises(TargetError, match="single functions can be optimised in Python alone"):
        optimize(file, model=recording, function="main", cases=cases)
    with pytest.raises(ProposerError, match=r"C\+\+ program, and the embedded rules know Python only.*--model"):
        optimize(file, cases=cases)
    with pytest.raises(UsageError, match="--python is for Python alone"):
        optimize(file, model=recording, cases=cases, python="python3")
    with pytest.raises(UsageError, match=r"--language cobol: there is no such language. Known: python, cpp"):
        optimize(file, model=recording, cases=cases, language="cobol")
    with pytest.raises(UsageError, match="no search 'thorough'"):
        optimize(file, model=recording, cases=cases, search="thorough")
    with pytest.raises(UsageError, match="--temperature warm"):
        optimize(file, model=recording, cases=cases, temperature="warm")
    file.write_bytes(b"int main() { return '\xe9'; }\n")
    with pytest.raises(TargetError, match=r"not UTF-8 text"):
        optimize(file, model=recording, cases=cases)


@pytest.mark.slow
def test_an_original_that_does_not_compile_is_told_from_one_that_is_wrong(tmp_path: Path) -> None:
    needs("cpp")
    file = project(tmp_path / "p", "cpp", 10, [text_of("fast", "cpp")]).rename(tmp_path / "p" / "solution.txt")
    file.write_text("int main() { return undeclared; }\n")
    given = {"model": f"replay:{tmp_path / 'p' / 'answers.jsonl'}", "cases": str(tmp_path / "p" / "cases")}
    with pytest.raises(WorkloadError, match=r"solution.txt does not compile: .*undeclared"):
        optimize(file, language="c++", **given)
    file.write_text('#include <cstdio>\nint main() { puts("-1"); }\n')
    with pytest.raises(WorkloadError, match=r"itself fails on case .*expected"):
        optimize(file, language="cpp", **given)
