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

_MODES = {False: "100644", True: "100755"}
_TRAILER = "Proposed-by: Afterburner Agent"


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
    """Make the branch, or move it if all that is on it is ours, and open its pull request unless it is open already.

    Each commit has the rewrites of one function more: of those that were tested together.

    Args:
        github: with a token that may write contents and pull requests.
        job: whose repository it is.
        goal: where they go.
        document: the report.

    Returns:
        The address of the pull request; empty where there is no rewrite.

    Raises:
        NotAllowedError: the token may not do it.
        GitHubError: GitHub refuses, cannot be reached, or somebody else has put commits on the branch.
    """
    accepted = accepted_rewrites(document)
    return _BranchMaker(github, job, goal, document).propose(accepted) if accepted else ""


def accepted_rewrites(document: CiDocument) -> list[FunctionPart]:
    """The functions whose rewrites were tested together."""
    improved = document.of(Decision.IMPROVED)
    return [each for each in improved if each.rewrite is not None and each.rewrite.merged]


def _edits(function: FunctionPart) -> set[tuple[int, int, str]]:
    edits = function.rewrite.edits if function.rewrite is not None else []
    return {(each.first - 1, each.last, each.text) for each in edits}


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
        edits = {edit for each in same_file for edit in _edits(each)}  # several may bring the same import
        whole = self._text_of(function)
        mark = whole[:1] if whole.startswith("\ufeff") else ""
        text = mark + apply_edits(whole.removeprefix(mark), [TextEdit(*each) for each in sorted(edits)])
        path = f"{self.job.repository_path}/git"
        tree_sha = self.github.get(f"{path}/commits/{parent}")["tree"]["sha"]
        blob = self.github.send("POST", f"{path}/blobs", {"content": text, "encoding": "utf-8"})
        is_executable = function.rewrite is not None and function.rewrite.is_executable
        entry = {"path": function.file, "mode": _MODES[is_executable], "type": "blob", "sha": blob["sha"]}
        tree = self.github.send("POST", f"{path}/trees", {"base_tree": tree_sha, "tree": [entry]})
        said = "\n".join(f"- {each}" for each in filter(None, (function.caveat, *function.evidence)))
        message = f"{function.function}: {verdict(function, self.document)}\n\n{said}\n\n{_TRAILER}\n"
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
        try:
            return base64.b64decode(found["content"]).decode("utf-8")
        except ValueError as error:
            raise GitHubError(f"{function.file!r} is not UTF-8, so no branch is made. Apply the patch.") from error

    def _move(self, sha: str) -> None:
        path, branch = f"{self.job.repository_path}/git", self.goal.branch
        try:
            self.github.send("POST", f"{path}/refs", {"ref": f"refs/heads/{branch}", "sha": sha})
        except GitHubError as error:
            if error.status != 422:
                raise
            tip = self.github.get(f"{path}/ref/heads/{quote(branch)}")["object"]["sha"]
            if _TRAILER not in str(self.github.get(f"{path}/commits/{tip}")["message"]):
                raise GitHubError(
                    f"The branch {branch} has commits that Afterburner Agent did not make, so it is left as it is. "
                    "Merge it, or delete it."
                ) from error
            self.github.send("PATCH", f"{path}/refs/heads/{quote(branch)}", {"sha": sha, "force": True})

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
