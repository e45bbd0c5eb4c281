"""The attacks: programs in files of their own, each of which says what it tries and what must become of it.

The head of a file is comments of the form `key: value`, one a line:

    attack: what it tries (for the programs in `good`: what is unusual)
    must: the verdict on every case
    prints: what stdout is, but for the newline at its end; without it, nobody looks
    expects: the expected output, if not `prints`
    limits: fields of `Limits`, as in `wall_time_s=1 memory_kib=65536`
    compile_limits: likewise, for the compiler
    cases: how many times it runs in the same container
    stdin: how many bytes it is given to read
    needs: `control groups`, without which a few attacks succeed; docs/sandbox.md says so

`@name@` below the head stands for something of the host that is out of reach, see `attack_host`. An attempt to escape
prints DENIED when it failed and CANARY when it succeeded, so that "accepted" proves that it was made, and failed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox import Limits, Program, TestCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent / "attacks"
LANGUAGES = {
    ".py": "python",
    ".cpp": "cpp",
    ".rs": "rust",
    ".java": "java",
    ".go": "go",
    ".js": "javascript",
    ".rb": "ruby",
}
_LIMITS = Limits(wall_time_s=5.0, cpu_time_s=5.0, memory_kib=262_144)
_HEAD = re.compile(r"(?:#|//) (attack|must|prints|expects|limits|compile_limits|cases|stdin|needs): (.*)\n")
_PLACE = re.compile(r"@([a-z_]+)@")


@dataclass(frozen=True, slots=True)
class Attack:
    """One file. The source is without its head, which may tell the answer."""

    name: str
    language: str
    source: str
    must: Verdict
    prints: bytes | None
    expects: str | None
    limits: Limits
    compile_limits: Limits | None
    cases: int
    stdin_bytes: int
    needs: str

    def program(self, places: Mapping[str, str]) -> Program:
        """The program, aimed at the host's things."""
        return Program(self.language, _aimed(self.source, places))

    def test_cases(self, places: Mapping[str, str]) -> list[TestCase]:
        """What it is run on."""
        expected = self.prints if self.expects is None else _aimed(self.expects, places).encode()
        return [TestCase(b"x" * self.stdin_bytes, expected)] * self.cases


def read_attacks(folder: Path = FOLDER) -> list[Attack]:
    """All attacks, and the good programs beside them, by name."""
    return [read_attack(path) for path in sorted(folder.rglob("*.*")) if path.suffix in LANGUAGES]


def read_attack(path: Path) -> Attack:
    """One file.

    Raises:
        ValueError: its head is not as it has to be.
    """
    source = path.read_text("utf-8")
    head: dict[str, str] = {}
    while found := _HEAD.match(source):
        head[found[1]] = found[2]
        source = source[found.end() :]
    if not {"attack", "must"} <= head.keys():
        raise ValueError(f"{path} does not begin with what it tries and what must become of it.")
    prints = head.get("prints")
    return Attack(
        name=path.relative_to(FOLDER).as_posix(),
        language=LANGUAGES[path.suffix],
        source=source,
        must=Verdict(head["must"]),
        prints=None if prints is None else prints.encode().decode("unicode_escape").encode("latin-1") + b"\n",
        expects=head.get("expects"),
        limits=_limits(head.get("limits", ""), _LIMITS),
        compile_limits=_limits(head["compile_limits"], _LIMITS) if "compile_limits" in head else None,
        cases=int(head.get("cases", "1")),
        stdin_bytes=int(head.get("stdin", "0")),
        needs=head.get("needs", ""),
    )


def _limits(text: str, usual: Limits) -> Limits:
    units = {field.name: type(getattr(usual, field.name)) for field in fields(usual)}
    pairs = (word.partition("=")[::2] for word in text.split())
    return replace(usual, **{name: units[name](value) for name, value in pairs})


def _aimed(text: str, places: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: places[found[1]], text)
