"""How a program enters a container: what is bound or put there, and the command that starts it."""

from __future__ import annotations

import tempfile
import tokenize
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.calls import prepare_call
from afterburner.sandbox.container_paths import PROGRAM_FOLDER, SCRATCH
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.inside import bind_driver
from afterburner.sandbox.types import Bind, CallCase, Command, ContainerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.sandbox.calls import PreparedCall
    from afterburner.sandbox.container import Container
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.toolchains import Toolchain
    from afterburner.sandbox.types import Limits, Program, PythonEnvironment, TestCase

_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
_LEAST_HEAP_MIB = 64
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS", "VECLIB", "RAYON", "NUMBA", "POLARS_MAX", "JULIA")


@dataclass(frozen=True, slots=True)
class File:
    """A file that the host puts into a container, for the program to read or to run."""

    name: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """A program made ready to run on its cases."""

    program: Program
    spec: ContainerSpec
    files: tuple[File, ...]
    argv: tuple[str, ...]
    variables: Mapping[str, str]
    working_directory: str = SCRATCH

    def fill(self, container: Container) -> None:
        """Puts the files into a new container."""
        for file in self.files:
            container.put(file.name, file.data, executable=file.executable)

    def command(self, case: TestCase | CallCase) -> tuple[Command, bytes]:
        """What is started for one case, and what it reads from stdin."""
        if isinstance(case, CallCase):
            return self.driver_command(prepare_call(self.program, case), case)
        return Command(self.argv, dict(self.variables), self.working_directory), case.stdin

    def driver_command(self, prepared: PreparedCall, case: CallCase) -> tuple[Command, bytes]:
        """What is started to make the calls of a case, and what it reads from stdin."""
        environment = self.program.environment
        prefix = environment.prefix if environment is not None else ()
        variables = {**self.variables, "PYTHONHASHSEED": str(case.hash_seed)}
        variables.pop("PYTHONPATH", None)  # a project's `json.py` must not stand before our driver's
        argv = (*self.argv[: len(prefix) + 1], *prepared.argv_tail)
        return Command(argv, variables, self.working_directory), prepared.stdin


@contextmanager
def python_launch(
    program: Program, environment: PythonEnvironment, limits: Limits, workspace: Path
) -> Iterator[Launch]:
    """A Python program under a given interpreter, with the files of its project.

    A program that has its place in a project (`path` or `entry`) is bound over the file there.
    """
    place = program.entry.path if program.entry is not None else program.path
    variables = python_variables(environment)
    if environment.import_paths:
        variables["PYTHONPATH"] = ":".join(environment.import_paths)
    with tempfile.TemporaryDirectory(dir=workspace) as folder:
        source = Path(folder, "source.py")
        source.write_bytes(encoded_source(program.source))
        binds = [*environment.binds, bind_driver()]
        if place is not None:
            binds.append(Bind(str(source), place))
        yield Launch(
            program=replace(program, environment=environment),
            spec=spec_for(limits, tuple(binds), environment.image.identity if environment.image is not None else None),
            files=() if place is not None else (File("main.py", source.read_bytes()),),
            argv=(
                *environment.prefix,
                environment.executable,
                place or f"{PROGRAM_FOLDER}/main.py",
                *program.arguments,
            ),
            variables=variables,
            working_directory=environment.working_directory,
        )


def toolchain_launch(
    program: Program, language: Language, toolchain: Toolchain, limits: Limits, artefact: bytes | None
) -> Launch:
    """A program of any language, by the toolchain of the backend; a compiled one as its artefact.

    Raises:
        UsageError: the program has a place in a project, which only Python knows.
    """
    if program.entry is not None or program.path is not None:
        raise UsageError(
            f"A program that has its place in a project runs under the project's own interpreter; {toolchain.version} "
            "has none. Leave out `entry` and `path`, or give `environment`."
        )
    file = File(language.source, program.source.encode("utf-8", "surrogatepass"))
    if artefact is not None and language.artefact is not None:
        file = File(language.artefact, artefact, executable=True)
    memory_mib = max(_LEAST_HEAP_MIB, limits.memory_kib // 1024)  # with less, a runtime complains and does not start
    return Launch(
        program=program,
        spec=spec_for(limits, toolchain.binds, toolchain.image),
        files=(file,),
        argv=(*(part.format(memory_mib=memory_mib) for part in language.run), *program.arguments),
        variables=toolchain_variables(toolchain),
    )


def spec_for(limits: Limits, binds: tuple[Bind, ...], image: str | None) -> ContainerSpec:
    """A container in which these limits can be used up, and no more."""
    return ContainerSpec(binds, limits.file_kib, image, limits.memory_kib, limits.processes)


def toolchain_variables(toolchain: Toolchain) -> dict[str, str]:
    """The whole environment of a program, or of its compiler; nothing comes from the host's."""
    return {
        "PATH": toolchain.path,
        "HOME": SCRATCH,
        "LANG": "C.UTF-8",
        **_single_threaded(),
        **toolchain.environment,
    }


def python_variables(environment: PythonEnvironment, hash_seed: int = 0) -> dict[str, str]:
    """The whole environment of a Python program in the sandbox; nothing comes from the host's.

    It leaves `import_paths` to others: a `PYTHONPATH` would let a project's `json.py` stand before our driver's.
    """
    variables = {
        "PATH": f"{Path(environment.executable).parent}:{_SEARCH_PATH}",
        "HOME": SCRATCH,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
    }
    if environment.image is not None:
        variables |= environment.image.variables
        variables["PATH"] = f"{Path(environment.executable).parent}:{variables['PATH']}"
    return variables | _single_threaded()


def _single_threaded() -> dict[str, str]:
    return {f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD}


def encoded_source(source: str) -> bytes:
    """The bytes of a Python file: in the encoding that its first lines declare (PEP 263), by default UTF-8.

    A text that its own declaration cannot hold is written in UTF-8, where Python then reports the mismatch.
    """
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(source.encode("utf-8", "surrogatepass")).readline)
        return source.encode(encoding)
    except (SyntaxError, UnicodeEncodeError, LookupError):
        return source.encode("utf-8", "surrogatepass")
