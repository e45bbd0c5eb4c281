"""A branch with the accepted rewrites, a commit for each function, and its pull request; made by the API alone."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from afterburner.agent.code.text_edits import TextEdit, apply_edits
from afterburner.agent.wording import count
from afterburner.ci_action.formats.inert import code, prose
from afterburner.ci_action.formats.phrases import verdict
from afterburner.ci_action.github.errors import GitHubError
from afterburner.ci_action.report.document import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.ci_action.github.client import GitHub
    from afterburner.ci_action.github.event import Job
    from afterburner.ci_action.report.document import CiDocument, FunctionPart

_MODE = "100644"


@dataclass(frozen=True, slots=True)
class Goal:
    """Where the rewrites go.

    Attributes:
        sha: the commit that they are made on.
        into: the branch that the pull request goes to: its head, or by a schedule the default branch.
        branch: the branch that is made, or moved.
    """

    sha: str
    into: str
    branch: str


def propose_branch(github: GitHub, job: Job, goal: Goal, document: CiDocument) -> str:
    """Make or move the branch, and open its pull request unless it is open already.

    Each commit has the rewrites of one function more. A rewrite that changes lines of one before it is left out.

    Args:
        github: with a token that may write contents and pull requests.
        job: whose repository it is.
        goal: where they go.
        document: the report.

    Returns:
        The address of the pull request; empty where there is no rewrite.

    Raises:
        NotAllowedError: the token may not do it.
        GitHubError: GitHub refuses, or cannot be reached.
    """
    accepted = _apart([each for each in document.of(Decision.IMPROVED) if each.rewrite is not None])
    return _BranchMaker(github, job, goal, document).propose(accepted) if accepted else ""


def _apart(functions: Sequence[FunctionPart]) -> list[FunctionPart]:
    """Those whose edits do not touch the lines of one before; the same edit in two, such as an import, is fine."""
    taken: dict[str, set[tuple[int, int, str]]] = {}
    found = []
    for each in functions:
        mine = _edits(each)
        known = taken.setdefault(each.file, set())
        if not any(_collide(one, other) for one in mine - known for other in known):
            known |= mine
            found.append(each)
    return found


def _edits(function: FunctionPart) -> set[tuple[int, int, str]]:
    edits = function.rewrite.edits if function.rewrite is not None else []
    return {(each.first - 1, each.last, each.text) for each in edits}


def _collide(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return one[0] < max(other[1], other[0] + 1) and other[0] < max(one[1], one[0] + 1)


@dataclass(frozen=True, slots=True)
class _BranchMaker:
    github: GitHub
    job: Job
    goal: Goal
    document: CiDocument

    def propose(self, accepted: Sequence[FunctionPart]) -> str:
        tip = self.goal.sha
        for number, function in enumerate(accepted, 1):
            same_file = [each for each in accepted[:number] if each.file == function.file]
            tip = self._commit(tip, function, same_file)
        self._move(tip)
        return self._pull_request(accepted)

    def _commit(self, parent: str, function: FunctionPart, same_file: Sequence[FunctionPart]) -> str:
        """One commit more: the file of the function with its rewrite and those of the same file before it."""
        edits = {edit for each in same_file for edit in _edits(each)}
        text = apply_edits(self._text_of(function), [TextEdit(*each) for each in sorted(edits)])
        path = f"{self.job.repository_path}/git"
        tree_sha = self.github.get(f"{path}/commits/{parent}")["tree"]["sha"]
        blob = self.github.send("POST", f"{path}/blobs", {"content": text, "encoding": "utf-8"})
        entry = {"path": function.file, "mode": _MODE, "type": "blob", "sha": blob["sha"]}
        tree = self.github.send("POST", f"{path}/trees", {"base_tree": tree_sha, "tree": [entry]})
        said = "\n".join(f"- {each}" for each in function.evidence)
        message = f"{function.function}: {verdict(function, self.document)}\n\n{said}\n"
        body = {"message": message, "tree": tree["sha"], "parents": [parent]}
        return str(self.github.send("POST", f"{path}/commits", body)["sha"])

    def _text_of(self, function: FunctionPart) -> str:
        """The file as it was measured.

        Raises:
            GitHubError: the commit has another one.
        """
        path = f"{self.job.repository_path}/contents/{quote(function.file)}"
        found = self.github.get(path, ref=self.goal.sha)
        if not isinstance(found, dict) or found.get("sha") != function.blob or found.get("encoding") != "base64":
            raise GitHubError(
                f"{function.file!r} at {self.goal.sha[:10]} is not the file that was measured, so no branch is made. "
                "Run the job again."
            )
        return base64.b64decode(found["content"]).decode("utf-8")

    def _move(self, sha: str) -> None:
        path, branch = f"{self.job.repository_path}/git/refs", self.goal.branch
        try:
            self.github.send("POST", path, {"ref": f"refs/heads/{branch}", "sha": sha})
        except GitHubError as error:
            if error.status != 422:
                raise
            self.github.send("PATCH", f"{path}/heads/{quote(branch)}", {"sha": sha, "force": True})

    def _pull_request(self, accepted: Sequence[FunctionPart]) -> str:
        """Open the pull request, or bring the open one up to date; gives its address."""
        goal, path = self.goal, f"{self.job.repository_path}/pulls"
        head = f"{self.job.repository.partition('/')[0]}:{goal.branch}"
        texts = {"title": f"Afterburner Agent: {count(len(accepted), 'proven rewrite')}", "body": self._body(accepted)}
        is_open: list[dict[str, Any]] = self.github.get(path, state="open", head=head, base=goal.into)
        if is_open:
            self.github.send("PATCH", f"{path}/{is_open[0]['number']}", texts)
            return str(is_open[0]["html_url"])
        made = self.github.send("POST", path, {**texts, "head": goal.branch, "base": goal.into})
        return str(made["html_url"])

    def _body(self, accepted: Sequence[FunctionPart]) -> str:
        told = [
            f"- {code(each.function, 80)} in {code(each.file, 120)}: {verdict(each, self.document)}"
            for each in accepted
        ]
        tests = f"\n\n{prose(self.document.tests.capitalize())}." if self.document.tests else ""
        return f"A commit for each function, on {code(self.goal.sha[:10])}.\n\n" + "\n".join(told) + f"{tests}\n"
