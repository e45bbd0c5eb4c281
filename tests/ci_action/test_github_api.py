"""The stand-in for GitHub is like GitHub where it matters: what it answers, what it refuses, what it keeps."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from github_git_routes import ROUTES as GIT_ROUTES
from github_routes import ROUTES
from openapi_check import FOLDER

if TYPE_CHECKING:
    from github_api import GitHubApi
    from github_state import Repository

SHOP = "/repos/octo/shop"
COMMENTS = f"{SHOP}/issues/1/comments"
REVIEWS = f"{SHOP}/pulls/1/reviews"
REVIEW = {"event": "COMMENT", "body": "Two rewrites"}


def changed(*numbers: int) -> str:
    """Give the shop's file with some lines changed."""
    return "".join(f"line {n}{' changed' if n in numbers else ''}\n" for n in range(1, 41))


def review_of(**comment: Any) -> dict[str, Any]:
    return {**REVIEW, "comments": [{"path": "shop.py", "body": "Faster:", **comment}]}


def test_each_answer_is_as_github_describes_it(github: GitHubApi, shop: Repository, client: httpx.Client) -> None:
    """The stand-in checks its own answers as well, and the fixture fails on what it finds; here all are asked for."""
    shop.actions_may_open_pull_requests = True
    pull = shop.pull_request(
        {"shop.py": changed(3), "new.py": "1\n", "data.bin": b"\0\1"}, fork="mallory", labels=("slow",)
    )
    sha = shop.head_sha()
    number = client.post(COMMENTS, json={"body": "Hello"}).json()["id"]
    blob = client.post(f"{SHOP}/git/blobs", json={"content": "aGk=", "encoding": "base64"}).json()["sha"]
    entries = [{"path": "a/b.py", "mode": "100644", "type": "blob", "sha": blob}]
    tree = client.post(f"{SHOP}/git/trees", json={"base_tree": sha, "tree": entries}).json()["sha"]
    author = {"name": "Octo", "email": "octo@example.org", "date": "2025-01-02T03:04:05Z"}
    commit = {"message": "Rewrite", "tree": tree, "parents": [sha], "author": author}
    made = client.post(f"{SHOP}/git/commits", json=commit).json()
    assert made["author"] == author
    comment_url = f"{SHOP}/issues/comments/{number}"
    asked = [
        ("GET", SHOP, None, 200),
        ("GET", f"{SHOP}/pulls", None, 200),
        ("GET", f"{SHOP}/pulls/1", None, 200),
        ("PATCH", f"{SHOP}/pulls/1", {"title": "Renamed"}, 200),
        ("GET", f"{SHOP}/pulls/1/files", None, 200),
        ("POST", REVIEWS, review_of(line=3), 200),
        ("GET", REVIEWS, None, 200),
        ("GET", f"{SHOP}/pulls/1/comments", None, 200),
        ("GET", COMMENTS, None, 200),
        ("GET", comment_url, None, 200),
        ("PATCH", comment_url, {"body": "Bye"}, 200),
        ("DELETE", comment_url, None, 204),
        ("GET", f"/repos/mallory/shop/commits/{pull.head_sha}/pulls", None, 200),
        ("GET", f"{SHOP}/contents/shop.py?ref=main", None, 200),
        ("POST", f"{SHOP}/git/refs", {"ref": "refs/heads/fast/er", "sha": made["sha"]}, 201),
        ("GET", f"{SHOP}/contents/a?ref=fast/er", None, 200),
        ("GET", f"{SHOP}/git/ref/heads/fast/er", None, 200),
        ("GET", f"{SHOP}/git/commits/{made['sha']}", None, 200),
        ("GET", f"{SHOP}/git/trees/{tree}?recursive=1", None, 200),
        ("POST", f"{SHOP}/pulls", {"title": "Faster", "head": "fast/er", "base": "main", "body": "Proof"}, 201),
        ("PATCH", f"{SHOP}/git/refs/heads/fast%2Fer", {"sha": sha, "force": True}, 200),
        ("DELETE", f"{SHOP}/git/refs/heads/fast/er", None, 204),
    ]
    for method, path, body, status in asked:
        assert client.request(method, path, json=body).status_code == status, (method, path)
    person = github.new_token(login="octocat", is_personal=True)
    assert client.get("/user", headers={"Authorization": f"token {person}"}).json()["login"] == "octocat"
    never_asked = [
        (route.method, route.path)
        for route in (*ROUTES, *GIT_ROUTES)
        if all(route.match(each.method, each.path) is None for each in github.requests)
    ]
    assert never_asked == []
    assert github.violations == []


@pytest.mark.parametrize("authorization", [None, "Bearer ghs_wrong", "Basic {token}", "{token}", "Bearer {revoked}"])
def test_without_a_token_that_counts_nothing_is_answered(
    github: GitHubApi, shop: Repository, authorization: str | None
) -> None:
    revoked = github.new_token()
    github.world.revoke(revoked)
    given = (authorization or "").format(token=github.token, revoked=revoked)
    headers = {"Authorization": given} if authorization else {}
    assert httpx.get(github.url + SHOP, headers=headers).status_code == 401
    assert [each.authorized for each in github.requests] == [False]
    assert shop.name == "octo/shop"


def test_a_token_is_not_kept_and_one_in_the_request_itself_is_a_violation(
    github: GitHubApi, shop: Repository, client: httpx.Client
) -> None:
    shop.pull_request({"shop.py": changed(3)})
    assert client.post(COMMENTS, json={"body": f"my token is {github.token}"}).status_code == 201
    assert client.get(SHOP, headers={"X-Debug": github.token}).status_code == 200
    assert github.requests[0].authorized
    assert github.requests[0].body == {"body": "my token is ***"}
    assert github.token not in repr(github.requests)
    assert [each.count("a token is in the request itself") for each in github.take_violations()] == [1, 1]


@pytest.mark.parametrize(
    ("request_line", "body", "problem"),
    [
        (f"POST {COMMENTS}", {"body": 3}, "3 is not of type 'string'"),
        (f"POST {COMMENTS}", {}, "'body' is a required property"),
        (f"POST {COMMENTS}", {"body": "a", "boby": "b"}, "'boby' was unexpected"),
        (f"POST {COMMENTS}", [], "no JSON object"),
        (f"POST {COMMENTS}", None, "needs a body"),
        (f"GET {COMMENTS}?per-page=3", None, "no parameter 'per-page'"),
        (f"GET {SHOP}/pulls?state=merged", None, "'merged' is not one of"),
        (f"GET {SHOP}/pulls?page=two", None, "'two' is not of type 'integer'"),
        (f"POST {REVIEWS}", {**REVIEW, "event": "LGTM"}, "'LGTM' is not one of"),
        (f"POST {REVIEWS}", review_of(line=3, start=2), "'start' was unexpected"),
        (f"PUT {COMMENTS}", {"body": "a"}, "GitHub has no PUT"),
        (f"GET {SHOP}/pull/1", None, "GitHub has no GET"),
        (f"GET {SHOP}/labels", None, "The stand-in does not know"),
    ],
)
def test_what_the_description_does_not_allow_fails_the_test(
    github: GitHubApi, shop: Repository, *, request_line: str, body: Any, problem: str
) -> None:
    pull = shop.pull_request({"shop.py": changed(3)})
    method, _, path = request_line.partition(" ")
    headers = {"Authorization": f"Bearer {github.token}"}
    answer = httpx.request(method, github.url + path, json=body, headers=headers)
    assert answer.status_code in {422, 501}
    assert problem in answer.json()["message"] or problem in str(github.violations)
    with pytest.raises(AssertionError, match="does not allow"):
        github.check()
    assert len(github.take_violations()) == 1
    assert not pull.comments
    assert not pull.reviews


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ({"line": 5}, None),
        ({"line": 2}, None),  # three lines around a change are part of its hunk
        ({"line": 8, "start_line": 2, "start_side": "RIGHT", "side": "RIGHT"}, None),
        ({"line": 5, "side": "LEFT"}, None),
        ({"line": 5, "side": "RIGHT", "start_line": 5, "start_side": "LEFT"}, None),
        ({"line": 9}, "Line could not be resolved"),
        ({"line": 0}, "Line could not be resolved"),
        ({}, "Line could not be resolved"),
        ({"line": 41}, "Line could not be resolved"),
        ({"line": 30, "start_line": 5}, "Start line must be part of the same hunk as the line."),
        ({"line": 5, "start_line": 1}, "Start line must be part of the same hunk as the line."),
        ({"line": 5, "start_line": 5}, "Start line must precede the end line."),
        ({"line": 5, "start_line": 6}, "Start line must precede the end line."),
        ({"line": 5, "side": "MIDDLE"}, "Side is not included in the list"),
        ({"line": 5, "path": "README.md"}, "Path could not be resolved"),
        ({"line": 1, "path": "gone.py"}, "Line could not be resolved"),
        ({"line": 1, "path": "gone.py", "side": "LEFT"}, None),
        ({"line": 1, "path": "data.bin"}, "Path could not be resolved"),
    ],
)
def test_a_review_comments_on_lines_of_one_hunk_or_is_not_made_at_all(
    shop: Repository, client: httpx.Client, place: dict[str, Any], error: str | None
) -> None:
    shop.push("main", {"gone.py": "print()\n"})
    pull = shop.pull_request({"shop.py": changed(5, 30), "gone.py": None, "data.bin": b"\0"})
    good = {"path": "shop.py", "line": 31, "body": "A good one"}
    bad = {"path": "shop.py", "body": "```suggestion\nx\n```", **place}
    answer = client.post(REVIEWS, json={**REVIEW, "comments": [good, bad]})
    if error is None:
        assert answer.status_code == 200
        assert [each.line for each in pull.review_comments] == [31, place["line"]]
        assert pull.review_comments[1].hunk.startswith("@@ -")
    else:
        assert (answer.status_code, answer.json()["errors"]) == (422, [error])
        assert not pull.review_comments
        assert not pull.reviews


def test_a_review_is_of_a_commit_of_the_pull_request_even_of_one_that_a_push_has_replaced(
    shop: Repository, client: httpx.Client
) -> None:
    pull = shop.pull_request({"shop.py": changed(5)}, fork="mallory")
    before = pull.head_sha
    after = pull.head_repository.push("change", {"shop.py": changed(20)})
    assert pull.head_sha == after
    assert client.post(REVIEWS, json={**review_of(line=5), "commit_id": before}).status_code == 200
    assert client.post(REVIEWS, json={**review_of(line=5), "commit_id": after}).status_code == 422
    assert client.post(REVIEWS, json={**review_of(line=5), "commit_id": shop.head_sha()}).status_code == 422
    assert client.post(REVIEWS, json={**review_of(line=5), "commit_id": "0" * 40}).status_code == 422
    shown = client.get(f"{SHOP}/pulls/1/comments").json()
    assert [(each["line"], each["original_line"], each["commit_id"]) for each in shown] == [(None, 5, before)]


def test_texts_are_limited_to_what_github_takes(shop: Repository, client: httpx.Client) -> None:
    pull = shop.pull_request({"shop.py": changed(5)})
    longest, too_long = "é" * 65_536, "é" * 65_537
    assert client.post(COMMENTS, json={"body": longest}).status_code == 201
    comment = f"{SHOP}/issues/comments/{pull.comments[0].id}"
    refused = [
        client.post(COMMENTS, json={"body": too_long}),
        client.post(COMMENTS, json={"body": " "}),
        client.patch(comment, json={"body": too_long}),
        client.post(REVIEWS, json={**REVIEW, "body": too_long}),
        client.post(REVIEWS, json={"event": "COMMENT"}),
        client.post(REVIEWS, json={"body": "No event"}),
        client.post(REVIEWS, json=review_of(line=5) | {"comments": [{"path": "shop.py", "line": 5, "body": too_long}]}),
    ]
    assert [each.status_code for each in refused] == [422] * 7
    assert "too long (maximum is 65536 characters)" in refused[0].text
    assert [each.body for each in pull.comments] == [longest]
    pull.is_locked = True
    assert client.post(COMMENTS, json={"body": "Late"}).status_code == 403


def test_lists_come_in_pages_that_name_their_neighbours(shop: Repository, client: httpx.Client) -> None:
    pull = shop.pull_request({f"file{number}.py": f"{number}\n" for number in range(35)})
    for number in range(205):
        shop.comment(pull, f"comment {number}", "octocat")
    assert len(client.get(COMMENTS).json()) == 30
    assert len(client.get(COMMENTS, params={"per_page": 1000}).json()) == 100
    assert client.get(COMMENTS, params={"page": 99}).json() == []
    answer = client.get(COMMENTS, params={"per_page": 100})
    bodies = [each["body"] for each in answer.json()]
    assert set(answer.links) == {"next", "last"}
    while "next" in answer.links:
        answer = client.get(answer.links["next"]["url"])
        bodies += [each["body"] for each in answer.json()]
    assert bodies == [f"comment {number}" for number in range(205)]
    assert set(answer.links) == {"prev", "first"}
    files = client.get(f"{SHOP}/pulls/1/files", params={"per_page": 20, "page": 2})
    assert len(files.json()) == 15
    assert files.json()[0]["patch"].startswith("@@ -0,0 +1 @@\n+")


def test_pull_requests_are_found_by_state_head_and_base(shop: Repository, client: httpx.Client) -> None:
    shop.pull_request({"shop.py": changed(1)}, head="one")
    forked = shop.pull_request({"shop.py": changed(2)}, head="one", fork="mallory")
    shop.pull_request({"shop.py": changed(3)}, head="three").state = "closed"

    def found(**query: str) -> list[int]:
        return [each["number"] for each in client.get(f"{SHOP}/pulls", params=query).json()]

    assert found() == [2, 1]
    assert found(state="all", direction="asc") == [1, 2, 3]
    assert found(head="mallory:one") == [2]
    assert found(head="octo:one", base="main") == [1]
    assert found(base="other") == []
    assert found(head="one") == [2, 1], "GitHub does not filter by a head without its owner"
    sha = forked.head_sha
    assert client.get(f"/repos/mallory/shop/commits/{sha}/pulls").json()[0]["number"] == 2
    assert client.get(f"{SHOP}/commits/{sha}/pulls").json() == [], "asked of the base, a fork's are not told"


def test_a_push_shows_at_once_and_a_conflict_cannot_be_merged(shop: Repository, client: httpx.Client) -> None:
    pull = shop.pull_request({"shop.py": changed(5)}, fork="mallory")
    told = client.get(f"{SHOP}/pulls/1").json()
    assert told["mergeable"]
    assert told["head"]["repo"]["full_name"] == "mallory/shop"
    assert pull.store.resolve("refs/pull/1/merge") == told["merge_commit_sha"]
    shop.push("main", {"shop.py": changed(5).replace("line 5", "another 5")})
    assert client.get(f"{SHOP}/pulls/1").json()["mergeable"] is False
    pull.head_repository.push("change", {"shop.py": None, "moved.py": changed(1, 2)}, parent=shop.head_sha())
    after = client.get(f"{SHOP}/pulls/1").json()
    assert after["mergeable"]
    assert after["head"]["sha"] == pull.store.resolve("refs/pull/1/head") != told["head"]["sha"]
    (file,) = client.get(f"{SHOP}/pulls/1/files").json()
    assert (file["status"], file["previous_filename"], file["filename"]) == ("renamed", "shop.py", "moved.py")
    diff = client.get(f"{SHOP}/pulls/1", headers={"Accept": "application/vnd.github.diff"}).text
    assert "rename to moved.py" in diff


def test_what_the_api_commits_is_there_for_git(shop: Repository, client: httpx.Client, tmp_path: Any) -> None:
    base = shop.head_sha()
    shop.push("main", {"old.py": "old\n", "link": "shop.py"}, modes={"link": "120000"})
    head = shop.head_sha()
    tree = {
        "base_tree": head,
        "tree": [
            {"path": "a/new.py", "mode": "100755", "type": "blob", "content": "new\n"},
            {"path": "old.py", "mode": "100644", "type": "blob", "sha": None},
        ],
    }
    sha = client.post(f"{SHOP}/git/trees", json=tree).json()["sha"]
    commit = {"message": "Faster\n\nProof", "tree": sha, "parents": [head]}
    made = client.post(f"{SHOP}/git/commits", json=commit).json()["sha"]
    refs = f"{SHOP}/git/refs"
    assert client.post(refs, json={"ref": "refs/heads/fast", "sha": made}).status_code == 201
    assert client.post(refs, json={"ref": "refs/heads/fast", "sha": made}).json()["message"] == (
        "Reference already exists"
    )
    assert client.post(refs, json={"ref": "fast", "sha": made}).status_code == 422
    assert client.patch(f"{refs}/heads/fast", json={"sha": base}).json()["message"] == "Update is not a fast forward"
    assert client.patch(f"{refs}/heads/none", json={"sha": base}).status_code == 422
    assert client.get(f"{SHOP}/git/ref/heads/none").status_code == 404
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "-b", "fast", str(shop.store.folder), str(clone)], check=True)
    assert (clone / "a/new.py").read_text() == "new\n"
    assert not (clone / "old.py").exists()
    assert (clone / "link").is_symlink()
    content = client.get(f"{SHOP}/contents/a/new.py", params={"ref": "fast"})
    assert content.json()["sha"] == shop.store.git("rev-parse", "fast:a/new.py").strip()
    raw = client.get(f"{SHOP}/contents/a/new.py?ref=fast", headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.text == "new\n"


def test_an_entry_of_a_tree_cannot_leave_the_repository(shop: Repository, client: httpx.Client) -> None:
    for path in ("../evil.py", "/etc/passwd", ".git/config", "a//b"):
        entry = {"path": path, "mode": "100644", "type": "blob", "content": "x"}
        assert client.post(f"{SHOP}/git/trees", json={"tree": [entry]}).status_code == 422, path
    both = {"path": "a", "mode": "100644", "type": "blob", "content": "x", "sha": "0" * 40}
    assert client.post(f"{SHOP}/git/trees", json={"tree": [both]}).status_code == 422
    assert shop.store.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


def test_many_at_once_lose_nothing(shop: Repository, client: httpx.Client) -> None:
    pull = shop.pull_request({"shop.py": changed(5)})
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: client.post(COMMENTS, json={"body": f"{n}"}), range(40)))
    assert [each.status_code for each in answers] == [201] * 40
    assert sorted(int(each.body) for each in pull.comments) == list(range(40))
    assert len({each.id for each in pull.comments}) == 40
    limits = {int(each.headers["x-ratelimit-remaining"]) for each in answers}
    assert len(limits) > 1
    assert all(each.headers["x-ratelimit-limit"] == "5000" for each in answers)


def test_the_lock_of_the_description_pins_it_and_names_no_registry() -> None:
    lock = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))
    declared = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    found = {name.removeprefix("node_modules/"): facts for name, facts in lock["packages"].items() if name}
    assert {name: facts["version"] for name, facts in found.items()} == declared["dependencies"]
    assert all(facts["integrity"].startswith("sha512-") and "resolved" not in facts for facts in found.values())
