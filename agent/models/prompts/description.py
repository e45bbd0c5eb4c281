"""What a model is told about a target beside its code."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.code.context.describe import DEFAULT_TOKENS, describe
from afterburner.agent.code.context.readable_files import ProjectFiles
from afterburner.agent.code.context.resolver import Resolver
from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.programs import describe_program

if TYPE_CHECKING:
    from afterburner.agent.models.prompts.proposer import ProposalRequest
    from afterburner.agent.types import Target


def description_of(request: ProposalRequest) -> str:
    """Describe what is asked for: with what the run knows of the project, else from the target's own file alone."""
    return (request.describe or describe_target)(request.target)


def describe_target(target: Target) -> str:
    """Describe the problem that a target solves.

    Nothing comes from other files. String constants that look like secrets are left out, long ones too.
    """
    if target.language != PYTHON:
        return describe_program(target.language)
    own_file = PurePosixPath(Path(target.path).name)
    files = ProjectFiles(None, own_file)
    files.put(own_file, target.source)
    return describe(target, Resolver(files, PurePosixPath()), own_file, DEFAULT_TOKENS)
