"""Compiles a program: once, in a container of its own, before and apart from what is measured.

The artefact leaves the container as bytes on stdout, which the host carries and never looks into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.sandbox.container_paths import PROGRAM_FOLDER, SCRATCH
from afterburner.sandbox.launch import spec_for, toolchain_variables
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.types import Command, Compilation
from afterburner.sandbox.verdicts import report_of_process

if TYPE_CHECKING:
    from afterburner.sandbox.container import OpenContainer
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.toolchains import Toolchain
    from afterburner.sandbox.types import Program

_MAX_MESSAGE_BYTES = 32_768


def compile_program(
    supply: OpenContainer, program: Program, language: Language, toolchain: Toolchain, cpu: int | None
) -> tuple[Compilation, bytes]:
    """The artefact, and what the compiler said; without success, no artefact.

    Raises:
        SandboxInternalError: the sandbox failed, not the compiler.
    """
    limits = language.compile_limits
    variables = toolchain_variables(toolchain)
    variables |= {"SOURCE": f"{PROGRAM_FOLDER}/{language.source}", "ARTEFACT": f"{SCRATCH}/artefact"}
    # What the compiler prints is its message; what the shell prints is the artefact.
    script = f'set -e\n{{\n{language.compile}\n}} >&2 </dev/null\nexec cat -- "$ARTEFACT"\n'
    with supply(spec_for(limits, toolchain.binds, toolchain.image)) as container:
        container.put(language.source, program.source.encode("utf-8", "surrogatepass"))
        artefact = bytearray()
        raw = container.run(
            Command(("/bin/sh", "-c", script), variables), b"", limits, cpu=cpu, stdout_sink=artefact.extend
        )
    report = report_of_process(raw, limits)
    message = scrub_bytes(raw.stderr, _MAX_MESSAGE_BYTES).strip()
    succeeded = report.verdict == "accepted" and len(artefact) > 0
    if not succeeded:
        if raw.limit is not None or not message:
            message = f"{message}\nthe compiler {report.detail or 'made nothing'}".strip()
        artefact.clear()
    return Compilation(succeeded, raw.measurement.wall_time_s, message, len(artefact)), bytes(artefact)
