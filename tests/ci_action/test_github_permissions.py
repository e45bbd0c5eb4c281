"""What a token may do at the stand-in for GitHub, and the failures that a test can ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
from openapi_check import Description

if TYPE_CHECKING:
    from github_api import GitHubApi
    from github_recording import Recorded
    from github_state import Level, Repository

SHOP = "/repos/octo/shop"
COMMENTS = f"{SHOP}/issues/1/comments"
PULLS = {"title": "Faster", "head": "change", "base": "main"}
READ: dict[str, Level] = {"contents": "read", "pull-requests": "read", "issues": "read"}
INTEGRATION = "Resource not accessible by integration"


def asked(github: GitHubApi, token: str, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Give the status of an answer and what it says."""
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.request(method, github.url + path, json=body, headers=headers)
    told = answer.json() if answer.content else {}
    return answer.status_code, told.get("message", "") if isinstance(told, dict) else ""


@pytest.mark.parametrize(
    ("method", "path", "body", "enough"),
    [
        ("POST", COMMENTS, {"body": "Hello"}, ["issues", "pull-requests"]),
        ("PATCH", f"{SHOP}/pulls/1", {"title": "New"}, ["pull-requests"]),
        ("POST", f"{SHOP}/pulls/1/reviews", {"event": "COMMENT", "body": "Hello"}, ["pull-requests"]),
        ("POST", f"{SHOP}/git/blobs", {"content": "x"}, ["contents"]),
        ("PATCH", f"{SHOP}/git/refs/heads/change", {"sha": "0" * 40}, ["contents"]),
    ],
)
def test_writing_needs_a_permission_and_reading_what_is_public_none(
    github: GitHubApi, shop: Repository, *, method: str, path: str, body: Any, enough: list[str]
) -> None:
    shop.pull_request({"shop.py": "1\n"})
    for name in ("issues", "pull-requests", "contents"):
        token = github.new_token({**READ, name: "write"}, repositories=("octo/shop",))
        status, message = asked(github, token, method, path, body)
        assert (status != 403) == (name in enough), (name, message)
    assert asked(github, github.new_token(READ), method, path, body) == (403, INTEGRATION)
    elsewhere = github.new_token(repositories=("octo/other",))
    assert asked(github, elsewhere, method, path, body) == (403, INTEGRATION)
    assert asked(github, github.new_token({}), "GET", f"{SHOP}/pulls/1/files")[0] == 200


def test_a_private_repository_is_not_there_for_a_token_of_another(github: GitHubApi) -> None:
    secret = github.add_repository("octo/secret", is_private=True)
    secret.pull_request({"README.md": "1\n"})
    path = "/repos/octo/secret/pulls/1"
    assert asked(github, github.new_token(repositories=("octo/shop",)), "GET", path) == (404, "Not Found")
    assert asked(github, github.new_token({"contents": "read"}), "GET", path) == (403, INTEGRATION)
    assert asked(github, github.new_token({"pull-requests": "read"}), "GET", path)[0] == 200
    assert asked(github, github.token, "GET", "/repos/octo/secret/pulls/9") == (404, "Not Found")


def test_the_token_of_a_job_opens_and_approves_only_where_a_setting_allows_it(
    github: GitHubApi, shop: Repository
) -> None:
    shop.push("change", {"shop.py": "1\n"})
    status, message = asked(github, github.token, "POST", f"{SHOP}/pulls", PULLS)
    assert (status, message) == (403, "GitHub Actions is not permitted to create or approve pull requests.")
    person = github.new_token(login="hubot", is_personal=True)
    assert asked(github, person, "POST", f"{SHOP}/pulls", PULLS)[0] == 201
    approval = {"event": "APPROVE"}
    assert asked(github, github.token, "POST", f"{SHOP}/pulls/1/reviews", approval)[0] == 422
    assert asked(github, person, "POST", f"{SHOP}/pulls/1/reviews", approval)[0] == 422, "it is its own"
    shop.actions_may_open_pull_requests = True
    assert asked(github, github.token, "POST", f"{SHOP}/pulls/1/reviews", approval)[0] == 200
    assert asked(github, github.token, "POST", f"{SHOP}/pulls", PULLS) == (422, "Validation Failed"), "it is open"
    unknown = {**PULLS, "head": "none"}
    assert asked(github, github.token, "POST", f"{SHOP}/pulls", unknown) == (422, "Validation Failed")
    assert asked(github, github.token, "GET", "/user") == (403, INTEGRATION)
    assert [review.state for review in shop.pulls[1].reviews] == ["APPROVED"]


def test_the_token_of_a_job_writes_no_workflows(github: GitHubApi, shop: Repository) -> None:
    entry = {"path": ".github/workflows/evil.yml", "mode": "100644", "type": "blob", "content": "on: push\n"}
    assert asked(github, github.token, "POST", f"{SHOP}/git/trees", {"tree": [entry]}) == (403, INTEGRATION)
    assert shop.name == "octo/shop"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"User-Agent": ""}, 403),
        ({"X-GitHub-Api-Version": "2019-01-01"}, 400),
        ({"X-GitHub-Api-Version": "2022-11-28"}, 200),
        ({"Accept": "text/html"}, 415),
        ({"Accept": "application/vnd.github+json"}, 200),
    ],
)
def test_headers_that_github_refuses_are_refused(
    github: GitHubApi, shop: Repository, headers: dict[str, str], status: int
) -> None:
    given = {"Authorization": f"Bearer {github.token}", **headers}
    assert httpx.get(f"{github.url}/repos/{shop.name}", headers=given).status_code == status


@pytest.mark.parametrize("status", [403, 404, 422, 429, 500, 502, 503])
def test_a_failure_is_answered_as_often_as_asked_for_and_changes_nothing(
    github: GitHubApi, shop: Repository, client: httpx.Client, status: int
) -> None:
    pull = shop.pull_request({"shop.py": "1\n"})
    github.fail_next("POST", "/comments$", status, headers={"Retry-After": "7"}, times=2)
    assert client.get(COMMENTS).status_code == 200, "it is for another method"
    answers = [client.post(COMMENTS, json={"body": f"{number}"}) for number in range(3)]
    assert [each.status_code for each in answers] == [status, status, 201]
    assert answers[0].headers["retry-after"] == "7"
    assert answers[0].headers["x-ratelimit-resource"] == "core"
    assert [each.body for each in pull.comments] == ["2"]
    assert [each.status for each in github.sent("POST")] == [status, status, 201]
    is_json = "json" in answers[0].headers["content-type"]
    assert is_json == (status < 500), "GitHub's own failures are pages"


def test_the_secondary_limit_asks_to_wait(github: GitHubApi, shop: Repository, client: httpx.Client) -> None:
    shop.pull_request({"shop.py": "1\n"})
    github.limit_next("POST", "/comments$", retry_after_s=60)
    answer = client.post(COMMENTS, json={"body": "Hello"})
    assert (answer.status_code, answer.headers["retry-after"]) == (403, "60")
    assert "secondary rate limit" in answer.json()["message"]
    github.fail_next("POST", "/comments$", 403, headers={"x-ratelimit-remaining": "0"}, body={"message": "limit"})
    answer = client.post(COMMENTS, json={"body": "Hello"})
    assert answer.headers.get_list("x-ratelimit-remaining") == ["0"]
    assert github.faults.left == []


@pytest.mark.parametrize("is_done", [False, True])
def test_an_answer_may_be_lost_before_or_after_the_work_is_done(
    github: GitHubApi, shop: Repository, client: httpx.Client, is_done: bool
) -> None:
    pull = shop.pull_request({"shop.py": "1\n"})
    github.drop_next("POST", "/comments$", is_done=is_done)
    github.fail_next("POST", "/comments$", 502, is_done=is_done)
    with pytest.raises(httpx.RemoteProtocolError):
        client.post(COMMENTS, json={"body": "dropped"})
    assert client.post(COMMENTS, json={"body": "failed"}).status_code == 502
    assert [each.body for each in pull.comments] == (["dropped", "failed"] if is_done else [])
    assert [each.status for each in github.sent("POST")] == [0, 502]


def test_a_request_that_fails_on_purpose_is_checked_all_the_same(github: GitHubApi, client: httpx.Client) -> None:
    github.fail_next("POST", "/comments$", 404)
    assert client.post(COMMENTS, json={"text": "Hello"}).status_code == 404
    assert github.take_violations()


def test_somebody_may_push_while_one_is_reviewing(github: GitHubApi, shop: Repository, client: httpx.Client) -> None:
    pull = shop.pull_request({"shop.py": "1\n"})
    seen: list[Recorded] = []

    def push(request: Recorded) -> None:
        seen.append(request)
        shop.push("change", {"other.py": "2\n"})

    github.on("POST", "/reviews$", push, times=1)
    before = pull.head_sha
    review = {"event": "COMMENT", "body": "Hello", "comments": [{"path": "shop.py", "line": 1, "body": "Hi"}]}
    for _ in range(2):
        assert client.post(f"{SHOP}/pulls/1/reviews", json={**review, "commit_id": before}).status_code == 200
    assert [each.body for each in seen] == [{**review, "commit_id": before}]
    assert pull.head_sha != before
    assert client.get(f"{SHOP}/pulls/1").json()["head"]["sha"] == pull.head_sha


def test_a_function_of_the_test_that_fails_is_not_lost(github: GitHubApi, shop: Repository) -> None:
    github.on("GET", f"^/repos/{shop.name}$", lambda _: 1 / 0)
    with pytest.raises(httpx.RemoteProtocolError):
        asked(github, github.token, "GET", SHOP)
    assert ["ZeroDivisionError" in each for each in github.take_violations()] == [True]


def test_the_description_is_read_as_openapi_3_0_means_it() -> None:
    """`null` only where it is allowed, nothing beside a `$ref`, and the address with the most words of its own."""

    def answers(schema: Any) -> dict[str, Any]:
        return {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}

    several = {"name": "path", "in": "path", "schema": {"type": "string"}, "x-multi-segment": True}
    text = {"type": "string", "nullable": True, "enum": ["a"]}
    either = {"oneOf": [{"$ref": "#/components/schemas/text"}, {"type": "integer"}], "nullable": True}
    described = Description(
        {
            "components": {"schemas": {"text": text, "same": {"$ref": "#/components/schemas/text", "type": "integer"}}},
            "x-webhooks": {},
            "paths": {
                "/a/{name}": answers({"$ref": "#/components/schemas/same"}),
                "/a/b": answers({"type": "object", "properties": {"example": either}}),
                "/f/{path}": {"get": {**answers({"type": "string"})["get"], "parameters": [several]}},
            },
        }
    )
    assert described.answer_problems("GET", "/a/x", 200, None) == []
    assert described.answer_problems("GET", "/a/x", 200, "a") == []
    assert "'b' is not one of" in described.answer_problems("GET", "/a/x", 200, "b")[0]
    assert described.answer_problems("GET", "/a/b", 200, {"example": 3}) == []
    assert described.answer_problems("GET", "/a/b", 200, {"example": None}) == []
    assert described.answer_problems("GET", "/a/b", 200, {"example": []})
    assert described.answer_problems("GET", "/f/x/y%20z", 200, "text") == []
    found = described.find("GET", "/f/x/y%20z")
    assert found
    assert found.values == {"path": "x/y z"}
    assert described.find("GET", "/a/x/y") is None
