"""Stand-ins for GitHub's own actions, as far as workflows under test use them; an input they do not know is refused."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from action_files import matches, search_root
from action_stores import StoreError
from github_git import git_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from action_runner import ActionStep, Standin
    from action_stores import ArtifactStore, CacheStore
    from github_state import Repository, World

_SITE = "https://github.com"


class Standins:
    """The actions of one run.

    Args:
        world: The repositories and tokens that there are.
        artifacts: Where artifacts are kept.
        caches: Where caches are kept.
        scopes: The references whose caches the run may read; it writes those of the first.
    """

    def __init__(self, world: World, artifacts: ArtifactStore, caches: CacheStore, scopes: Sequence[str]) -> None:
        self._world = world
        self._artifacts = artifacts
        self._caches = caches
        self._scopes = scopes

    def actions(self) -> dict[str, Standin]:
        """Give them by name."""
        return {
            "actions/checkout": self._checkout,
            "actions/setup-python": _setup_python,
            "actions/upload-artifact": self._upload,
            "actions/download-artifact": self._download,
            "actions/cache": self._cache,
            "actions/cache/restore": self._restore_cache,
            "actions/cache/save": self._save_cache,
        }

    def _checkout(self, step: ActionStep) -> Mapping[str, str]:
        """Clone for real: the remote is the site's address, which the home's configuration leads to the local one."""
        github = step.job.github
        name = step.inputs.get("repository", github["repository"])
        token = step.inputs.get("token", github["token"])
        repository = self._readable(step, name, token)
        folder = _inside(step, step.inputs.get("path"))
        is_own = name.lower() == github["repository"].lower()
        ref = step.inputs.get("ref") or (github["ref"] if is_own else f"refs/heads/{repository.default_branch}")
        sha = github["sha"] if is_own and not step.inputs.get("ref") else _sha(repository, ref)
        if sha is None:
            raise step.fail(f"A branch or tag with the name '{ref}' could not be found")
        _configure_home(step.job.home, repository.world.folder)
        git = _Git(folder, step.job.home)
        git("init", "--quiet", f"--initial-branch={repository.default_branch}")
        git("remote", "add", "origin", f"{_SITE}/{repository.name}")
        self._fetch(step, git, sha)
        branch = _branch(repository, ref)
        git("checkout", "--quiet", "--force", *(["-B", branch, sha] if branch else ["--detach", sha]))
        step.log(f"HEAD is now at {sha}")
        if step.inputs.flag("persist-credentials", default=True):
            secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            step.job.hide(secret)
            header = f"http.{_SITE}/.extraheader"
            git("config", "--local", header, f"AUTHORIZATION: basic {secret}")
            step.after(lambda: git("config", "--local", "--unset-all", header))
        return {"ref": ref, "commit": sha}

    def _fetch(self, step: ActionStep, git: _Git, sha: str) -> None:
        depth = int(step.inputs.get("fetch-depth", "1"))
        tags = [] if step.inputs.flag("fetch-tags", default=False) else ["--no-tags"]
        whole = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"]
        if depth:
            git("fetch", "--quiet", *tags, f"--depth={depth}", "origin", sha)
        else:
            git("fetch", "--quiet", "origin", sha, *whole)

    def _readable(self, step: ActionStep, name: str, token: str) -> Repository:
        found = self._world.repositories.get(name.lower())
        known = self._world.tokens.get(token)
        may_read = known and not known.is_revoked and known.reaches(name) and known.allows("contents", "read")
        if found is None or (found.is_private and not may_read):
            raise step.fail(f"Not Found - repository '{name}'")
        return found

    def _upload(self, step: ActionStep) -> Mapping[str, str]:
        patterns = step.inputs.get("path").splitlines()
        hidden = step.inputs.flag("include-hidden-files", default=False)
        step.inputs.get("retention-days")
        step.inputs.get("compression-level")
        missing, name = step.inputs.get("if-no-files-found", "warn"), step.inputs.get("name", "artifact")
        overwrite = step.inputs.flag("overwrite", default=False)
        files = _uploaded(step.job.workspace, patterns, hidden=hidden)
        if not files:
            message = (
                f"No files were found with the provided path: {' '.join(patterns)}. No artifacts will be uploaded."
            )
            if missing == "error":
                raise step.fail(message)
            if missing == "warn":
                step.warn(message)
            return {}
        github = step.job.github
        try:
            made = self._artifacts.put(int(github["run_id"]), github["repository"], name, files, overwrite=overwrite)
        except StoreError as error:
            raise step.fail(str(error)) from error
        url = f"{_SITE}/{github['repository']}/actions/runs/{github['run_id']}/artifacts/{made.id}"
        return {"artifact-id": str(made.id), "artifact-url": url}

    def _download(self, step: ActionStep) -> Mapping[str, str]:
        github = step.job.github
        name, folder = step.inputs.get("name"), _inside(step, step.inputs.get("path"))
        repository = step.inputs.get("repository", github["repository"])
        run_id = step.inputs.get("run-id", str(github["run_id"]))
        token = step.inputs.get("github-token")
        if not name:
            raise NotImplementedError("actions/download-artifact without a name")
        if token:
            self._check_download(step, token, repository)
        elif (run_id, repository) != (str(github["run_id"]), github["repository"]):
            raise step.fail("An artifact of another run needs the input github-token")
        found = self._artifacts.find(int(run_id), repository, name)
        if found is None:
            raise step.fail("Unable to download artifact(s): Artifact not found for name: " + name)
        shutil.copytree(found.folder, folder, dirs_exist_ok=True)
        return {"download-path": str(folder)}

    def _check_download(self, step: ActionStep, token: str, repository: str) -> None:
        known = self._world.tokens.get(token)
        if known is None or known.is_revoked:
            raise step.fail("Unable to download artifact(s): Bad credentials")
        if not (known.reaches(repository) and known.allows("actions", "read")):
            raise step.fail("Unable to download artifact(s): Resource not accessible by integration")

    def _cache(self, step: ActionStep) -> Mapping[str, str]:
        outputs = self._restore_cache(step)
        key, paths = step.inputs.get("key"), _cached_paths(step)
        if outputs["cache-hit"] != "true":
            step.after(lambda: self._saved(key, paths), only_after_success=True)
        return {"cache-hit": outputs["cache-hit"]}

    def _restore_cache(self, step: ActionStep) -> dict[str, str]:
        key, starts = step.inputs.get("key"), step.inputs.get("restore-keys").splitlines()
        found = self._caches.restore(self._scopes, key, [each for each in starts if each], _cached_paths(step))
        if found is None and step.inputs.flag("fail-on-cache-miss", default=False):
            raise step.fail(f"Failed to restore cache entry. Exiting as fail-on-cache-miss is set. Input key: {key}")
        hit = "" if found is None else str(found == key).lower()
        return {"cache-hit": hit, "cache-primary-key": key, "cache-matched-key": found or ""}

    def _save_cache(self, step: ActionStep) -> None:
        self._saved(step.inputs.get("key"), _cached_paths(step))

    def _saved(self, key: str, paths: Sequence[Path]) -> None:
        self._caches.save(self._scopes[0], key, paths)


class _Git:
    """git in a clone, with the configuration of the job's home."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._variables = {**git_environment(), "HOME": str(home), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")}

    def __call__(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self._folder, env=self._variables, check=True, capture_output=True)


def _configure_home(home: Path, folder: Path) -> None:
    """Lead git from the site's addresses to the local repositories; nothing may be pushed that way."""
    local = f'[url "file://{folder}/repositories/"]\n\tinsteadOf = {_SITE}/\n'
    (home / ".gitconfig").write_text(local + f'[url "refused://"]\n\tpushInsteadOf = {_SITE}/\n', encoding="utf-8")


def _sha(repository: Repository, ref: str) -> str | None:
    store = repository.store
    return store.branch_sha(ref.removeprefix("refs/heads/")) or store.resolve(ref)


def _branch(repository: Repository, ref: str) -> str | None:
    name = ref.removeprefix("refs/heads/")
    return name if repository.store.branch_sha(name) else None


def _inside(step: ActionStep, path: str) -> Path:
    folder = Path(os.path.normpath(step.job.workspace / path))
    if not any(folder.is_relative_to(each) for each in (step.job.workspace, step.job.temporary)):
        raise step.fail(f"Repository path '{folder}' is not under '{step.job.workspace}'")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _setup_python(step: ActionStep) -> Mapping[str, str]:
    """Put this interpreter first in the path, whichever version was asked for."""
    step.inputs.get("python-version")
    step.inputs.get("cache")
    step.inputs.get("cache-dependency-path")
    step.job.paths.append(str(Path(sys.executable).parent))
    version = ".".join(map(str, sys.version_info[:3]))
    return {"python-version": version, "python-path": sys.executable, "cache-hit": ""}


def _uploaded(workspace: Path, patterns: Sequence[str], *, hidden: bool) -> dict[str, Path]:
    """Give the files that are uploaded by their paths within the artifact, below the folder that they share."""
    wanted = [each.strip() for each in patterns if each.strip() and not each.strip().startswith("!")]
    roots = [search_root(workspace, each) for each in wanted]
    top = Path(os.path.commonpath([root if root.is_dir() else root.parent for root in roots])) if roots else workspace
    found = matches(workspace, patterns).items()
    return {str(path.relative_to(top)): path for path, root in found if hidden or not _is_hidden(path, root)}


def _is_hidden(path: Path, root: Path) -> bool:
    """Say whether a file or a folder that leads to it is hidden; where the search begins counts, what is above not."""
    return any(part.startswith(".") for part in (root.name, *path.relative_to(root).parts))


def _cached_paths(step: ActionStep) -> list[Path]:
    step.inputs.get("enableCrossOsArchive")
    given = [each.strip() for each in step.inputs.get("path").splitlines() if each.strip()]
    if any(set("*?!") & set(each) for each in given):
        raise NotImplementedError(f"patterns in the paths of a cache: {given}")
    return [
        step.job.home / each.removeprefix("~/") if each.startswith("~/") else step.job.workspace / each
        for each in given
    ]
