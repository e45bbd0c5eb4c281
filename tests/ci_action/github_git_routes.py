"""What the stand-in for GitHub does about files, and about blobs, trees, commits and references."""

from __future__ import annotations

import base64
import binascii
import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from github_calls import NOT_FOUND, Answer, Call, RefusedError, Route, not_found
from github_git import GitError
from github_json import time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from github_git import GitStore
    from github_json import Json

_KINDS = {"blob": "file", "tree": "dir", "commit": "submodule"}
_SYMLINK = "120000"


def _get_content(call: Call) -> Answer:
    """Answer a file with its content, or the entries of a folder."""
    call.demand("read", "contents")
    repository, path = call.repository, call.values["path"].strip("/")
    ref = call.asked("ref", repository.default_branch)
    store = repository.store
    commit = store.resolve(ref)
    if commit is None:
        raise RefusedError(404, f"No commit found for the ref {ref}")
    entries = _entries(store, commit, path)
    if len(entries) == 1 and entries[0]["path"] == path and entries[0]["type"] == "blob":
        entry = entries[0]
        if entry["mode"] == _SYMLINK:
            raise RefusedError(501, "The stand-in answers no symbolic links")
        data = store.bytes_of(entry["sha"])
        if "raw" in call.accept:
            return Answer(body=data)
        return Answer(body=call.json.content(repository, path, ref, kind="file", sha=entry["sha"], data=data))
    inside = _entries(store, commit, f"{path}/") if entries else []
    if not inside:
        raise not_found()
    kinds = {each["path"]: "symlink" if each["mode"] == _SYMLINK else _KINDS[each["type"]] for each in inside}
    return Answer(
        body=[
            call.json.content(repository, each["path"], ref, kind=kinds[each["path"]], sha=each["sha"])
            for each in inside
        ]
    )


def _entries(store: GitStore, tree: str, *paths: str) -> list[Json]:
    options = [] if paths else ["-r", "-t"]
    listed = store.git("ls-tree", "-z", "--long", *options, tree, "--", *paths).split("\0")[:-1]
    return [_entry(line) for line in listed]


def _entry(line: str) -> Json:
    facts, path = line.split("\t", 1)
    mode, kind, sha, size = facts.split()
    return {"path": path, "mode": mode, "type": kind, "sha": sha, **({} if size == "-" else {"size": int(size)})}


def _make_blob(call: Call) -> Answer:
    call.demand("write", "contents")
    content, encoding = call.body["content"], call.body.get("encoding", "utf-8")
    try:
        data = content.encode() if encoding == "utf-8" else base64.b64decode(content)
    except binascii.Error as error:
        raise RefusedError(422, "content is not valid Base64") from error
    sha = call.repository.store.git("hash-object", "-w", "--stdin", stdin=data).strip()
    return Answer(201, {"sha": sha, "url": call.json.git_url(call.repository, "blobs", sha)})


def _make_tree(call: Call) -> Answer:
    call.demand("write", "contents")
    store, base = call.repository.store, call.body.get("base_tree")
    if base is not None and store.kind(base) not in {"tree", "commit"}:
        raise RefusedError(422, "base_tree is not a valid tree oid")
    lines = [_index_line(store, entry) for entry in call.body["tree"]]
    if any(entry["path"].startswith(".github/workflows/") for entry in call.body["tree"]):
        call.demand("write", "workflows")  # which the token of a job never has
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder, "index"))
        store.git("read-tree", *([base] if base else ["--empty"]), GIT_INDEX_FILE=index)
        store.git("update-index", "-z", "--index-info", stdin="".join(lines).encode(), GIT_INDEX_FILE=index)
        sha = store.git("write-tree", GIT_INDEX_FILE=index).strip()
    return Answer(201, _tree(call, sha))


def _index_line(store: GitStore, entry: Mapping[str, Any]) -> str:
    """Write an entry of a tree as git's index takes it."""
    if "path" not in entry or ("sha" in entry) == ("content" in entry):
        raise RefusedError(422, "tree.path, and either tree.sha or tree.content, have to be given")
    path, mode = entry["path"], entry.get("mode")
    if entry.get("sha", "") is None:
        return f"0 {'0' * 40}\t{path}\0"
    if mode is None:
        raise RefusedError(422, "Must supply a valid tree.mode")
    sha = entry.get("sha") or store.git("hash-object", "-w", "--stdin", stdin=entry["content"].encode()).strip()
    if store.kind(sha) != "blob":
        raise RefusedError(422, f"tree.sha {sha} is not a valid blob")
    if path.startswith("/") or {"", ".", "..", ".git"} & set(path.split("/")):
        raise RefusedError(422, "tree.path contains a malformed path component")
    return f"{mode} {sha}\t{path}\0"


def _get_tree(call: Call) -> Answer:
    call.demand("read", "contents")
    if call.repository.store.kind(call.values["sha"]) not in {"tree", "commit"}:
        raise not_found()
    return Answer(body=_tree(call, call.values["sha"]))


def _tree(call: Call, sha: str) -> Json:
    repository = call.repository
    entries = _entries(repository.store, sha)
    if not call.asked("recursive"):  # whatever it says: GitHub takes even "false" for yes
        entries = [entry for entry in entries if "/" not in entry["path"]]
    named = [{**each, "url": call.json.git_url(repository, f"{each['type']}s", each["sha"])} for each in entries]
    tree = repository.store.git("rev-parse", f"{sha}^{{tree}}").strip()
    return {"sha": tree, "url": call.json.git_url(repository, "trees", tree), "tree": named, "truncated": False}


def _make_commit(call: Call) -> Answer:
    call.demand("write", "contents")
    store, body = call.repository.store, call.body
    parents = body.get("parents", [])
    if store.kind(body["tree"]) != "tree":
        raise RefusedError(422, "Tree SHA does not exist")
    if any(store.kind(parent) != "commit" for parent in parents):
        raise RefusedError(422, "Parent SHA does not exist or is not a commit object")
    if "signature" in body:
        raise RefusedError(501, "The stand-in keeps no signatures")
    author = body.get("author") or {"name": call.token.login, "email": f"{call.token.login}@users.noreply.github.com"}
    person = {**_person("AUTHOR", author), **_person("COMMITTER", body.get("committer") or author)}
    sha = store.commit_tree(body["tree"], parents, body["message"], **person)
    return Answer(201, _commit(call, sha))


def _person(role: str, given: Mapping[str, str]) -> dict[str, str]:
    known = {f"GIT_{role}_NAME": given.get("name"), f"GIT_{role}_EMAIL": given.get("email")}
    if "date" in given:
        known[f"GIT_{role}_DATE"] = f"{int(datetime.fromisoformat(given['date']).timestamp())} +0000"
    return {name: value for name, value in known.items() if value is not None}


def _get_commit(call: Call) -> Answer:
    call.demand("read", "contents")
    if call.repository.store.kind(call.values["sha"]) != "commit":
        raise not_found()
    return Answer(body=_commit(call, call.values["sha"]))


def _commit(call: Call, sha: str) -> Json:
    repository = call.repository
    form = "%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"
    facts = repository.store.git("show", "--no-patch", f"--format={form}", sha).split("\0")
    tree, parents, people, message = facts[0], facts[1].split(), facts[2:8], facts[8].removesuffix("\n")
    author, committer = (
        {"name": name, "email": email, "date": time_text(int(when))} for name, email, when in (people[:3], people[3:])
    )
    unsigned = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
    html = f"https://github.com/{repository.name}/commit"
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": call.json.git_url(repository, "commits", sha),
        "html_url": f"{html}/{sha}",
        "author": author,
        "committer": committer,
        "message": message,
        "tree": {"sha": tree, "url": call.json.git_url(repository, "trees", tree)},
        "parents": [_parent(call, parent, html) for parent in parents],
        "verification": unsigned,
    }


def _parent(call: Call, sha: str, html: str) -> Json:
    return {"sha": sha, "url": call.json.git_url(call.repository, "commits", sha), "html_url": f"{html}/{sha}"}


def _get_ref(call: Call) -> Answer:
    call.demand("read", "contents")
    name = f"refs/{call.values['ref']}"
    return Answer(body=call.json.reference(call.repository, name, _ref_sha(call, name, 404)))


def _make_ref(call: Call) -> Answer:
    call.demand("write", "contents")
    store, name, sha = call.repository.store, call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2 or not _is_ref(store, name):
        raise RefusedError(422, "Reference name must start with 'refs' and have at least two slashes.")
    if store.resolve(name):
        raise RefusedError(422, "Reference already exists")
    if store.kind(sha) != "commit":
        raise RefusedError(422, "Object does not exist")
    store.git("update-ref", name, sha)
    return Answer(201, call.json.reference(call.repository, name, sha))


def _is_ref(store: GitStore, name: str) -> bool:
    try:
        store.git("check-ref-format", name)
    except GitError:
        return False
    return True


def _change_ref(call: Call) -> Answer:
    call.demand("write", "contents")
    store, name, sha = call.repository.store, f"refs/{call.values['ref']}", call.body["sha"]
    before = _ref_sha(call, name, 422)
    if store.kind(sha) != "commit":
        raise RefusedError(422, "Object does not exist")
    if not call.body.get("force", False) and not store.is_ancestor(before, sha):
        raise RefusedError(422, "Update is not a fast forward")
    store.git("update-ref", name, sha)
    return Answer(body=call.json.reference(call.repository, name, sha))


def _ref_sha(call: Call, name: str, status: int) -> str:
    found = call.repository.store.resolve(name)
    if found is None:
        raise RefusedError(status, NOT_FOUND if status == 404 else "Reference does not exist")
    return found


def _remove_ref(call: Call) -> Answer:
    call.demand("write", "contents")
    name = f"refs/{call.values['ref']}"
    _ref_sha(call, name, 422)
    call.repository.store.git("update-ref", "-d", name)
    return Answer(204)


_GIT = "/repos/{owner}/{repo}/git"
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/contents/{path...}", _get_content),
    Route("POST", f"{_GIT}/blobs", _make_blob),
    Route("POST", f"{_GIT}/trees", _make_tree),
    Route("GET", f"{_GIT}/trees/{{sha}}", _get_tree),
    Route("POST", f"{_GIT}/commits", _make_commit),
    Route("GET", f"{_GIT}/commits/{{sha}}", _get_commit),
    Route("POST", f"{_GIT}/refs", _make_ref),
    Route("GET", f"{_GIT}/ref/{{ref...}}", _get_ref),
    Route("PATCH", f"{_GIT}/refs/{{ref...}}", _change_ref),
    Route("DELETE", f"{_GIT}/refs/{{ref...}}", _remove_ref),
)
