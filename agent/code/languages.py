"""The languages of programs: Python, whose functions can be optimised, and others, which are rewritten as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError, TargetError
from afterburner.sandbox import UsageError
from afterburner.sandbox.languages import LANGUAGES, find_language, language_of_suffix

if TYPE_CHECKING:
    from afterburner.agent.options import RunSettings

PYTHON = "python"
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Spoken:
    """What people call a language, and what a model has to know of how the sandbox builds and runs it."""

    name: str
    built: str


SPOKEN = {
    PYTHON: Spoken("Python", "It is run by CPython."),
    "cpp": Spoken("C++", "It is compiled by g++ with -O2 -std=gnu++17 -pthread."),
    "java": Spoken(
        "Java", "It is compiled by javac and run by the JVM with a stack of 64 MiB; one class has the main."
    ),
    "javascript": Spoken("JavaScript", "It is run by Node.js, as a CommonJS script."),
    "go": Spoken("Go", "It is compiled by go build, without modules, and run with GOMAXPROCS=1."),
    "ruby": Spoken("Ruby", "It is run by ruby, without gems beyond the standard library."),
    "rust": Spoken("Rust", "It is compiled by rustc with --edition 2021 -C opt-level=3, without other crates."),
}


def language_of(path: str | Path, asked: str | None = None) -> str:
    """The language of a file: the one asked for, else the one that its suffix tells, else Python.

    Raises:
        UsageError: there is no such language.
    """
    if asked is not None:
        try:
            return find_language(asked).name
        except UsageError:
            raise UsageError(f"--language {asked}: there is no such language. Known: {', '.join(LANGUAGES)}.") from None
    found = language_of_suffix(Path(path).suffix)
    return PYTHON if found is None else found.name


def spoken_name(language: str) -> str:
    """What people call it: `C++` for `cpp`."""
    return SPOKEN[language].name


def check_whole(path: str | Path, language: str, *, function: str | None, whole_program: bool) -> None:
    """Refuse what only Python's functions can have.

    Raises:
        TargetError: a function is asked for, or there is nothing to judge the program on.
    """
    name = spoken_name(language)
    if function is not None:
        raise TargetError(
            f"{path} is a {name} program, and single functions can be optimised in Python alone. Leave out the name "
            "of the function, and give --cases DIR: the whole program is optimised then."
        )
    if not whole_program:
        raise TargetError(
            f"{path} is a {name} program, and such programs are optimised as a whole: they read stdin and write "
            "stdout. Give --cases DIR, a folder with NAME.in and NAME.out. (--language python, if it is Python.)"
        )


def check_program(settings: RunSettings, language: str) -> None:
    """Say before any work is done which options are for Python alone.

    Raises:
        ProposerError: the embedded rules alone are to rewrite a program in another language.
        UsageError: an option makes no sense for it.
    """
    if language == PYTHON:
        return
    name = spoken_name(language)
    if settings.models.model == RULES:
        raise ProposerError(
            f"{settings.file} is a {name} program, and the embedded rules know Python only. Name a language model with "
            "--model, such as openai/gpt-5 or ollama/qwen2.5-coder:7b."
        )
    for option, given in (
        ("--python", settings.inputs.python is not None),
        ("--environment", settings.inputs.wants_image),
        ("--deterministic", settings.proof.deterministic),
        ("--float-tolerance", settings.inputs.float_tolerance is not None),
    ):
        if given:
            raise UsageError(f"{option} is for Python alone, and {settings.file} is a {name} program. Leave it out.")
