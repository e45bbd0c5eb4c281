"""Folders of evaluations as `eval run` leaves them: several problems, generations and iterations, with failures."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from afterburner.evals.problems import code_id
from afterburner.evals.tables import COMPLETE, REJECTED, file_key, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.evals.tables import Row

HAS_NO_STRICT_RULE, REFUSED_BY_STRICT_RULE = 2, 1  # numbers of problems
DIFFICULTIES = ("easy", "medium", "hard")
_TESTS = ("public", "private")
_NOTHING = {"wall_time_s": None, "cpu_time_s": None, "peak_memory_kib": None, "memory_integral_kib_s": None}


@dataclass
class RunPlan:
    """What the folder is to hold.

    Problem `k` passes from iteration `k % 3` on; the last one never does. The second last has no references. A code's
    wall time falls with the iterations, the faster the larger `skill` is.
    """

    name: str = "first"
    model: str = "rules"
    dataset: str = "venus"
    settings: dict[str, Any] = field(default_factory=dict)
    problems: int = 6
    generations: int = 2
    iterations: int = 5
    repeats: int = 3
    skill: float = 1.0
    has_private: bool = True
    without_private: frozenset[int] = frozenset()  # numbers of problems that have public tests alone
    fails_private: frozenset[int] = frozenset()  # numbers of problems whose code passes the public tests alone
    failing_solutions: frozenset[int] = frozenset()  # numbers of problems whose known solutions all fail
    slowness: float = 0.0  # of all code, and of the known solutions that are measured again; 0: none is
    drift: float = 1.02  # of each problem's known solutions, against what is stored
    not_evaluated: dict[str, str] = field(default_factory=dict)
    is_complete: bool = True
    rejected: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)  # what else `run.json` says
    answers: dict[tuple[int, int], dict[str, Any]] = field(
        default_factory=dict
    )  # by problem and iteration: what differs
    spoil: str = ""  # stands in every text that a stranger writes

    def write(self, folder: Path) -> Path:
        """Write the folder, and return its path."""
        folder.mkdir(parents=True, exist_ok=True)
        asked = {
            "dataset": self.dataset,
            "model": self.model,
            "iterations": self.iterations,
            "objective": "integral",
            "generations": self.generations,
            "repeats": self.repeats,
            "selection": "paper",
            "tell": "paper",
            "start": "none",
            "seed": 0,
            **self.settings,
        }
        machine = {
            "system": "Linux 6.1 x86_64",
            "cpu_model": f"A processor{self.spoil}",
            "cpus": 2,
            "memory_kib": 8 << 20,
            "python": "3.11.2",
            "backend": "bubblewrap",
            "tier": "cgroup v2",
            "toolchain": "",
        }
        about = {
            "format": 1,
            "name": self.name,
            "settings": asked,
            "machine": machine,
            "session": "a-session",
            **self.about,
        }
        (folder / "run.json").write_text(json.dumps(about), "utf-8")
        if self.is_complete:
            (folder / COMPLETE).touch()
            (folder / REJECTED).write_text(json.dumps([f"{each}{self.spoil}" for each in self.rejected]), "utf-8")
        for number in range(self.problems):
            self._write_problem(folder, number)
        for name, reason in self.not_evaluated.items():
            write_rows(folder, "problems", file_key(name), [self._facts(name, 0, reason)])
        return folder

    def _tests(self, number: int) -> tuple[str, ...]:
        return _TESTS[: 1 + (self.has_private and number not in self.without_private)]

    def _has_references(self, number: int) -> bool:
        return number != self.problems - 2 and number not in self.failing_solutions

    def problem_id(self, number: int) -> str:
        """How a problem is called."""
        return f"problem {number}{self.spoil}"

    def code(self, number: int, generation: int, iteration: int) -> str:
        """The code that an iteration comes to: a new one every third time, and once it passes."""
        step = max(iteration - iteration % 3, min(iteration, number % 3))
        comment = f"# {number} {generation} {step} {self.name}{self.spoil}"
        return f"def solve(values):\n    {comment}\n    return sorted(values)\n"

    def _facts(self, name: str, number: int, reason: str = "") -> Row:
        has_references = self._has_references(number)
        return {
            "problem_id": name,
            "dataset": self.dataset,
            "difficulty": DIFFICULTIES[number % 3] + self.spoil,
            "tags": [f"sorting{self.spoil}"],
            "language": "python",
            "description": f"Sort the values.{self.spoil}",
            "public_cases": 3,
            "private_cases": 2 * (len(self._tests(number)) - 1),
            "measured_references": 8 if has_references else 0,
            "measured_on": f"another machine{self.spoil}",
            **{f"{side}drift{kind}": self.drift for side in ("", "private_") for kind in ("", "_memory", "_integral")},
            "flags": [f"The anchors drifted.{self.spoil}"] if number == 0 else [],
            "failing_references": f"on the public tests, case 1: no{self.spoil}" * (number in self.failing_solutions),
            "notes": [f"One test was left out.{self.spoil}"] if number == 1 else [],
            "elapsed_s": 12.5,
            "reason": reason,
        }

    def _write_problem(self, folder: Path, number: int) -> None:
        rows: dict[str, list[Row]] = {"problems": [self._facts(self.problem_id(number), number)]}
        noise = random.Random(f"{self.name} {number}")
        if self._has_references(number):
            for tests in self._tests(number):
                known = [_reference(number, at, tests) for at in range(8)]
                rows.setdefault("references", []).extend(known)
                for each in known if self.slowness else ():
                    used = {name: each[name] for name in _NOTHING}
                    used["wall_time_s"] *= self.slowness
                    again = {"code_id": each["code_id"], "tests": tests, "turn": 0, "verdict": "accepted", **used}
                    rows.setdefault("measurements", []).extend({**again, "repeat": at} for at in range(self.repeats))
        for generation in range(self.generations):
            for iteration in range(self.iterations + 1):
                self._add(rows, number, generation, iteration, noise)
        for name, found in rows.items():
            named = [{"problem_id": self.problem_id(number), **row} for row in found]
            write_rows(folder, name, file_key(self.problem_id(number)), named)

    def _add(
        self, rows: dict[str, list[Row]], number: int, generation: int, iteration: int, noise: random.Random
    ) -> None:
        code = self.code(number, generation, iteration)
        passes = number != self.problems - 1 and iteration >= number % 3
        verdict = "accepted" if passes else "wrong_answer"
        used = _figures(1.3 / (1 + 0.35 * self.skill * (iteration - iteration % 3) + 0.1 * number), 20_000)
        used["wall_time_s"] *= self.slowness or 1
        rows.setdefault("candidates", []).append(
            self._candidate(generation, iteration, code, verdict, used) | self.answers.get((number, iteration), {})
        )
        at = {"generation": generation, "iteration": iteration, "candidate": f"g{generation}-{iteration}"}
        rows.setdefault("best", []).append({**at, "code_id": code_id(code), "passed": passes})
        known = {row["code_id"] for row in rows.get("codes", [])}
        if code_id(code) in known:
            return
        rows.setdefault("codes", []).append({"code_id": code_id(code), "code": code})
        if number != HAS_NO_STRICT_RULE:
            strict = "wrong_answer" if number == REFUSED_BY_STRICT_RULE else verdict
            rows.setdefault("verdicts", []).append({"code_id": code_id(code), "rule": "strict", "verdict": strict})
        for tests in self._tests(number):
            holds = passes and not (tests == "private" and number in self.fails_private)
            for repeat in range(self.repeats):
                factor = noise.uniform(0.97, 1.03)
                rows.setdefault("measurements", []).append(
                    {
                        "code_id": code_id(code),
                        "tests": tests,
                        "repeat": repeat,
                        "turn": repeat,
                        "verdict": "accepted" if holds else "wrong_answer",
                        "detail": "" if holds else f"case 2 differs{self.spoil}",
                        **({name: each * factor for name, each in used.items()} if holds else _NOTHING),
                    }
                )

    def _candidate(self, generation: int, iteration: int, code: str, verdict: str, used: dict[str, float]) -> Row:
        messages = [{"role": "user", "content": f"Make it faster.{self.spoil}"}]
        return {
            "generation": generation,
            "iteration": iteration,
            "candidate": f"g{generation}-{iteration}",
            "proposer": f"{self.model}{self.spoil}",
            "code_id": code_id(code),
            "reasoning": f"A sort is enough.{self.spoil}",
            "prompt": json.dumps(messages),
            "answer": f"<solution>{code}</solution>",
            "finish_reason": "stop",
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "cost_usd": 0.001,
            "cached": False,
            "verdict": verdict,
            "decision": "selected",
            "reason": f"It passes.{self.spoil}",
            **used,
        }


def _figures(wall_time_s: float, peak_memory_kib: float) -> dict[str, float]:
    return {
        "wall_time_s": wall_time_s,
        "cpu_time_s": wall_time_s * 0.9,
        "peak_memory_kib": peak_memory_kib,
        "memory_integral_kib_s": wall_time_s * peak_memory_kib * 0.8,
    }


def _reference(number: int, at: int, tests: str) -> Row:
    used = _figures((0.2 + 0.15 * at) / (1 + 0.1 * number), 18_000 + 1_000 * at)
    return {"code_id": code_id(f"reference {number} {at}"), "tests": tests, "is_anchor": at % 4 == 0, **used}
