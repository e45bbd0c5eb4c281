"""A stand-in for GitHub, and a client of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from browser import browser, visit  # noqa: F401 - fixtures
from github_api import GitHubApi
from openapi_check import DescriptionMissingError
from workflow_runner import WorkflowRunner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from github_state import Repository


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHubApi]:
    """A stand-in for GitHub; a request that GitHub's description does not allow fails the test when it ends."""
    try:
        opened = GitHubApi(tmp_path / "github")
    except DescriptionMissingError as error:
        pytest.skip(str(error))
    with opened:
        yield opened


@pytest.fixture
def shop(github: GitHubApi) -> Repository:
    """The repository `octo/shop`, which has the file `shop.py` of 40 lines."""
    return github.add_repository("octo/shop", {"shop.py": "".join(f"line {number}\n" for number in range(1, 41))})


@pytest.fixture
def client(github: GitHubApi) -> Iterator[httpx.Client]:
    """A client with a token that may do all that the token of a job may."""
    with httpx.Client(base_url=github.url, headers={"Authorization": f"Bearer {github.token}"}) as opened:
        yield opened


@pytest.fixture
def workflows(github: GitHubApi, tmp_path: Path) -> WorkflowRunner:
    """A runner of workflows with one secret, `KEY`."""
    return WorkflowRunner(github, tmp_path / "actions", secrets={"KEY": "open-sesame"})
