"""What a session's callers hand to it, looked at before anything is begun: a slip is told where it is made."""

from __future__ import annotations

from pathlib import Path

from afterburner.agent.job.arguments import expect, expect_function
from afterburner.agent.job.job import Job
from afterburner.agent.options import Caps, ModelOptions, Proof, Search
from afterburner.sandbox import CancelToken, Sandbox, UsageError


def check_session(sandbox: object, models: object, caps: object, proof: object, store: object) -> None:
    """Refuse resources of the wrong type, and a store that is no folder.

    Raises:
        UsageError: one is.
    """
    expect("sandbox", sandbox, str | Sandbox, "'auto', a backend's name, a service's address, or an open Sandbox")
    expect("models", models, ModelOptions, "ModelOptions(…), or only model='…'", optional=True)
    expect("caps", caps, Caps, "Caps(…), such as Caps(cost_usd=1.0)", optional=True)
    expect("proof", proof, Proof, "Proof(…)", optional=True)
    if store != "user":
        expect("store", store, Path, "a pathlib.Path of a folder, 'user', or None", optional=True)
    if isinstance(store, Path) and store.exists() and not store.is_dir():
        raise UsageError(f"store={store}: this is a file. Give a folder.")


def check_job(
    job: object, search: object = None, proof: object = None, on_event: object = None, cancel: object = None
) -> None:
    """Refuse a job and what comes with it, where a type is wrong.

    Raises:
        UsageError: one is.
    """
    expect("job", job, Job, "a Job, such as Job.from_file('shop.py')")
    expect("search", search, Search, "Search(…), such as Search(iterations=2)", optional=True)
    expect("proof", proof, Proof, "Proof(…)", optional=True)
    check_call(on_event, cancel)


def check_call(on_event: object, cancel: object) -> None:
    """Refuse arguments of the wrong type that every call takes.

    Raises:
        UsageError: one is.
    """
    expect_function("on_event", on_event, "which takes a ProgressEvent")
    expect("cancel", cancel, CancelToken, "a CancelToken()", optional=True)


def check_files(*jobs: Job) -> None:
    """Refuse problems, where versions of files are wanted.

    Raises:
        UsageError: one is.
    """
    for job in jobs:
        if job.problem is not None:
            raise UsageError(f"{job.path} is a problem, and only versions of files are compared. Give jobs on files.")
