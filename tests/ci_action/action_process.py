"""Runs the script of one step as a process, and reads what it printed and what it left in its files."""

from __future__ import annotations

import shlex
import subprocess
import uuid
from typing import TYPE_CHECKING, Any

from action_commands import LEVELS, Annotation, FileCommandError, Printed, read_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from action_job import JobState, StepRun

_LONGEST_S = 240.0  # of a step, whatever it is allowed
_MOST_SUMMARY = 1024 * 1024
_SHELLS = {
    "bash": "bash --noprofile --norc -eo pipefail {0}",
    "sh": "sh -e {0}",
    "python": "python {0}",
    "": "bash -e {0}",  # where no shell is named
}
_FILES = ("output", "env", "path", "state", "step_summary")
_BLOCKED = frozenset({"NODE_OPTIONS"})


class StepFailedError(Exception):
    """A step failed; what is to be shown, or nothing where that was shown."""


def run_script(
    job: JobState,
    *,
    script: str,
    shell: str,
    folder: Path,
    github: Mapping[str, Any],
    env: Mapping[str, str],
    limit_s: float | None,
    result: StepRun,
) -> None:
    """Run a script to its end and put what came of it into the result.

    Raises:
        StepFailedError: It ended with another code than 0, took too long, or told the runner what it cannot read.
        NotImplementedError: The shell is not known.
    """
    if shell not in _SHELLS and "{0}" not in shell:
        raise NotImplementedError(f"the shell {shell}")
    mark = uuid.uuid4().hex
    files = {name: job.temporary / f"{name}_{mark}" for name in _FILES}
    for path in files.values():
        path.touch()
    place = job.temporary / f"{mark}.{'py' if shell == 'python' else 'sh'}"
    place.write_text(script, encoding="utf-8")
    variables = job.variables_of({**github, **{name: str(path) for name, path in files.items()}}, env)
    result.log += job.masked(_heading(script, shell, env))
    command = [part.replace("{0}", str(place)) for part in shlex.split(_SHELLS.get(shell, shell))]
    if not folder.is_dir():
        raise StepFailedError(f"An error occurred trying to start process '{command[0]}': no folder {folder}")
    code, output = _run(job, command, folder, variables, min(limit_s or _LONGEST_S, _LONGEST_S))
    problems = _read_output(job, output, result)
    problems += _read_files(job, files, result)
    if code is None:
        raise StepFailedError("The action has timed out.")
    if code:
        raise StepFailedError(f"Process completed with exit code {code}.")
    if problems:
        raise StepFailedError("\n".join(problems))


def _heading(script: str, shell: str, env: Mapping[str, str]) -> str:
    shown = "".join(f"  {name}: {value}\n" for name, value in env.items())
    return f"Run {script.rstrip()}\nshell: {_SHELLS.get(shell, shell)}\n" + (f"env:\n{shown}" if shown else "")


def _run(
    job: JobState, command: list[str], folder: Path, variables: Mapping[str, str], limit_s: float
) -> tuple[int | None, str]:
    """Run a process; gives its code, or None where it took too long, and both its outputs in one."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
            code: int | None = process.returncode if process.returncode >= 0 else 128 - process.returncode
        except subprocess.TimeoutExpired:
            job.kill_all()
            output, _ = process.communicate()
            code = None
    return code, output.decode("utf-8", "replace")


def _read_output(job: JobState, output: str, result: StepRun) -> list[str]:
    """Obey the commands in what was printed, and put the rest into the log; gives what fails the step."""
    printed = Printed()
    for line in output.removesuffix("\n").split("\n"):
        shown = len(printed.annotations)
        if not printed.read(line.removesuffix("\r")):
            masked = job.masked(line)
            result.leaks += masked != line
            result.log += masked + "\n"
        for mask in printed.masks:
            job.hide(mask)
        for each in printed.annotations[shown:]:
            result.log += f"{each.level.capitalize()}: {job.masked(each.message)}\n"
    result.annotations += [
        Annotation(each.level, job.masked(each.message), each.properties)
        for each in printed.annotations
        if each.level in LEVELS[:3]
    ]
    result.obeyed += printed.obeyed
    result.outputs.update(printed.outputs)
    return printed.refused


def _read_files(job: JobState, files: Mapping[str, Path], result: StepRun) -> list[str]:
    """Read what a step wrote into its files; gives what fails it."""
    problems = []
    texts = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in files.items() if path.exists()}
    for name in ("output", "env"):
        try:
            pairs = read_pairs(texts.get(name, ""))
        except FileCommandError as error:
            problems += [f"Unable to process file command '{name}' successfully.", str(error)]
            continue
        if name == "output":
            result.outputs.update(pairs)
        else:
            _set_variables(job, pairs, result)
    job.paths += [line for line in texts.get("path", "").split("\n") if line]
    summary = texts.get("step_summary", "")
    size = len(summary.encode())
    if size > _MOST_SUMMARY:
        message = f"$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got {size // 1024}k"
        result.annotations.append(Annotation("error", message))
    else:
        result.summary = job.masked(summary)
    return problems


def _set_variables(job: JobState, pairs: list[tuple[str, str]], result: StepRun) -> None:
    for name, value in pairs:
        if name.upper() in _BLOCKED:
            message = f"Can't store {name} output parameter using '$GITHUB_ENV' command."
            result.annotations.append(Annotation("error", message))
        else:
            job.variables[name] = value
