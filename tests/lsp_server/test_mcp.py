"""The MCP server as a coding agent uses it: the SDK's own client, a real server, the real sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio import to_thread
from editor_client import PAIRS, is_alive, wait_until
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ListRootsResult, Root
from process_tree import descendants

from afterburner.agent import UsageError
from afterburner.agent.code.locate import find_target
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.judge.verification.outcome import Agreement
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionFindings
from afterburner.agent.loop.results import RunResult
from afterburner.agent.types import Gain, HeldOut, Machine, Objective
from afterburner.agent.usage import Usage
from afterburner.lsp_server.mcp_server.account import Account
from afterburner.lsp_server.mcp_server.answers import advice_on, in_words_of_tools
from afterburner.lsp_server.mcp_server.beside import differences_beside
from afterburner.lsp_server.mcp_server.roots import Roots
from afterburner.lsp_server.mcp_server.tools import Tools
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mcp.types import CallToolResult

pytestmark = pytest.mark.anyio
SERVER = (sys.executable, "-m", "afterburner.agent", "mcp")
WRONG = "def pairs(numbers, total):\n    return sorted({each for each in numbers if total - each in set(numbers)})\n"
RIGHT = """\
def pairs(numbers, total):
    known, found = set(numbers), {}
    for number in numbers:
        if total - number in known:
            found[number] = None
    return list(found)
"""
# What `compare` is asked for, and what its answer says.
IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"file": "pairs.py", "function": "none", "rewrite": WRONG}, "It defines: unrelated, pairs"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": "def other(): pass"}, "does not define"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": "def pairs(numbers:"}, "not Python"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": "def pairs(numbers): ..."}, "parameters"),
    ({"file": "pairs.py", "rewrite": "x ="}, "pairs.py"),
    ({"file": "pairs.py", "base": "--output=x"}, "revision"),
    ({"file": "pairs.py", "function": "unrelated", "rewrite": "def unrelated(x):\n    return x + 0"}, "`calls`"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": RIGHT, "assume": ["1 +"]}, "no Python expression"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": RIGHT, "calls": "import os\nos.listdir('/x')"}, "calls"),
    ({"file": "pairs.py", "function": 3}, "function"),
    ({"file": "pairs.py", "max_seconds": -1}, "max_seconds"),
    ({"file": ".", "rewrite": RIGHT}, "is not a file"),
    ({"file": "a\0b"}, "null byte"),
    ({"file": "x" * 5000}, "too long"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": "x = 1\n" * 50_000}, "200000"),
    ({"file": "pairs.py", "function": "pairs", "rewrite": "(" * 50_000}, "not Python"),
    ({}, "file"),
    ({"file": "pairs.py", "function": "pairs", "code": WRONG}, "no argument code; it has file, function, rewrite"),
    ({"file": "pairs.py"}, "is the same in both versions: the file at revision HEAD and the file on the disk"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def shop(project: Path) -> Path:
    """A project in git with one slow function."""
    (project / "pairs.py").write_text(PAIRS)
    for command in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", *command], cwd=project, check=True)
    return project


@asynccontextmanager
async def connected(
    folder: Path, *arguments: str, roots: Sequence[Path] = (), environment: dict[str, str] | None = None
) -> AsyncIterator[Client]:
    """A client of a server that was started in a folder; without roots it says that it has none."""

    async def list_roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=each.as_uri()) for each in roots])

    server = StdioServerParameters(
        command=SERVER[0],
        args=[*SERVER[1:], *arguments],
        cwd=folder,
        env={**os.environ, **(environment or {})},
    )
    async with Client(server, list_roots_callback=list_roots if roots else None) as client:
        yield client


def answer(result: CallToolResult) -> dict[str, Any]:
    """What a call that succeeded has answered."""
    assert not result.is_error, result.content
    assert result.structured_content is not None
    [text] = result.content
    assert json.loads(text.text) == result.structured_content, "clients without structured output read the text"  # type: ignore[union-attr]
    return result.structured_content


def error(result: CallToolResult) -> str:
    """What a call that failed says."""
    assert result.is_error, result.structured_content
    [text] = result.content
    assert "Traceback" not in text.text  # type: ignore[union-attr]
    return str(text.text)  # type: ignore[union-attr]


async def test_an_agent_learns_when_to_use_which_tool_and_which_one_writes(shop: Path) -> None:
    async with connected(shop) as client:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        assert "compare" in (client.instructions or "")
    assert list(tools) == ["survey", "compare", "optimize", "apply_rewrite"]
    writing = [name for name, tool in tools.items() if tool.annotations and not tool.annotations.read_only_hint]
    assert writing == ["apply_rewrite"]
    for tool in tools.values():
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False
        assert "client_roots" not in tool.input_schema["properties"], "the client gives its roots, not the agent"
        assert "context" not in tool.input_schema["properties"]
        assert all(each.get("description") for each in tool.input_schema["properties"].values()), tool.name


async def test_a_wrong_rewrite_gets_a_counterexample(shop: Path) -> None:
    told: list[tuple[float, str]] = []

    async def progress(done: float, _total: float | None, message: str | None) -> None:
        told.append((done, message or ""))

    async with connected(shop) as client:
        arguments = {"file": "pairs.py", "function": "pairs", "rewrite": WRONG}
        found = answer(await client.call_tool("compare", arguments, progress_callback=progress))
    assert (found["decision"], found["same_behaviour"]) == ("different", False)
    assert found["counterexample"]["calls"][0].startswith("pairs(")
    assert found["counterexample"]["before"] != found["counterexample"]["after"]
    assert found["inputs"]["captured from __main__"] == 3
    assert found["gain"] is None
    assert "Do not use" in found["advice"]
    assert [done for done, _ in told] == sorted({done for done, _ in told}), "it increases with each report"
    assert any("replaying" in message for _, message in told), told
    assert (shop / "pairs.py").read_text() == PAIRS


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
async def test_a_right_rewrite_gets_a_proven_gain_on_calls_of_the_agent(shop: Path) -> None:
    calls = "from pairs import pairs\n\nfor size in (10, 300, 600):\n    pairs(list(range(size)), size)\n"
    async with connected(shop) as client:
        arguments = {"file": str(shop / "pairs.py"), "function": "pairs", "rewrite": RIGHT, "calls": calls}
        found = answer(await client.call_tool("compare", arguments))
    assert (found["decision"], found["same_behaviour"]) == ("faster", True)
    assert found["gain"]["ratio"] > found["gain"]["low"] > 1.05
    assert found["made_inputs"] > 100
    assert sum(found["inputs"].values()) >= 3
    assert "captured from __main__" not in found["inputs"], "the agent's calls take its place"


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.nightly
async def test_a_rewrite_is_found_and_written_only_when_asked(shop: Path) -> None:
    path = shop / "pairs.py"
    async with connected(shop) as client:
        asked = {"file": "pairs.py", "iterations": 1}
        found = answer(await client.call_tool("optimize", asked))
        assert found["decision"] == "improved"
        assert found["function"] == "pairs"
        assert found["gain"]["low"] > 1.05
        assert "+" in found["patch"]
        assert path.read_text() == PAIRS, "nothing is written"

        changed = PAIRS.replace("return x", "return x + 1")
        path.write_text(changed)
        assert "changed" in error(await client.call_tool("apply_rewrite", {"run_id": found["run_id"]}))
        assert path.read_text() == changed
        path.write_text(PAIRS)
        answer(await client.call_tool("apply_rewrite", {"run_id": found["run_id"]}))
        assert path.read_text() != PAIRS
        assert "No improvement" in error(await client.call_tool("apply_rewrite", {"run_id": "20200101-000000-abcdef"}))


async def test_only_a_file_that_is_still_what_was_judged_is_written(shop: Path) -> None:
    path = shop / "pairs.py"
    target, machine = find_target(path, "pairs"), Machine("Linux", "CPU", 2, 8_388_608, "3.11", "bubblewrap", "rlimits")
    used, gain = Measurement(0.5, 0.4, 10_240, 5120.0, 480), Gain(2.0, 1.8, 2.2, 0.95, 15)
    made = PAIRS.replace("found = []", "found = list()")
    result = RunResult(
        "20260101-000000-aaaaaa", target, Objective.TIME, "rules", True, "2x", gain, used, used,
        HeldOut(3, True, gain), (), "--- a", made, None, (("doctest", 2),), (), machine, 12.5,
    )  # fmt: skip
    tools, nothing = Tools(Roots((), shop), {}), ListRootsResult(roots=[])
    with pytest.raises(ToolError, match="Call optimize first"):
        await tools.apply_rewrite(nothing, result.run_id)
    tools.keep(result)
    path.write_text(f"{PAIRS}# mine\n")
    with pytest.raises(ToolError, match="changed"):
        await tools.apply_rewrite(nothing, result.run_id)
    assert path.read_text() == f"{PAIRS}# mine\n"
    path.write_text(PAIRS)
    for _ in range(2):  # a second call finds it done
        assert (await tools.apply_rewrite(nothing, result.run_id)).written
        assert path.read_text() == made
    elsewhere = ListRootsResult(roots=[Root(uri=(shop / ".git").as_uri())])
    with pytest.raises(ToolError, match="outside of the roots"):
        await tools.apply_rewrite(elsewhere, result.run_id)


@pytest.mark.nightly
async def test_the_file_on_the_disk_is_compared_with_the_last_commit(shop: Path) -> None:
    (shop / "pairs.py").write_text(PAIRS.replace("number not in found", "number in found"))
    async with connected(shop) as client:
        found = answer(await client.call_tool("compare", {"file": "pairs.py"}))
    assert (found["decision"], found["function"]) == ("different", "pairs")


@pytest.mark.nightly
async def test_the_functions_of_a_project_are_ranked(shop: Path) -> None:
    (shop / "test_pairs.py").write_text(
        "from pairs import pairs, unrelated\n\n\n"
        "def test_pairs():\n    assert unrelated(1) == 1\n    assert pairs(list(range(2000)), 1900)\n"
    )
    async with connected(shop) as client:
        found = answer(await client.call_tool("survey", {"limit": 1}))
    [first] = found["targets"]
    assert (first["function"], first["file"]) == ("pairs", str(shop / "pairs.py"))
    assert first["share"] > 0.5
    assert first["tests"] == ["test_pairs.py"]


async def test_nothing_outside_of_the_roots_is_touched(shop: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "pairs.py").write_text(PAIRS)
    (shop / "linked.py").symlink_to(outside / "pairs.py")
    async with connected(tmp_path, roots=[shop]) as client:
        for path in (str(outside / "pairs.py"), "linked.py", "../elsewhere/pairs.py", "/etc/passwd"):
            said = error(await client.call_tool("compare", {"file": path, "rewrite": "x = 1"}))
            assert "outside of the roots" in said, said
        assert "does not exist" in error(await client.call_tool("optimize", {"file": "none.py"}))
        assert "outside" in error(await client.call_tool("survey", {"folder": str(outside)}))
        assert "is the same in both versions" in error(await client.call_tool("compare", {"file": "pairs.py"}))


async def test_a_root_of_the_command_line_limits_those_of_the_client(shop: Path, tmp_path: Path) -> None:
    async with connected(tmp_path, "--root", str(tmp_path / "shop"), roots=[tmp_path]) as client:
        assert "outside" in error(await client.call_tool("compare", {"file": str(tmp_path), "rewrite": "x = 1"}))
        assert "is the same in both versions" in error(await client.call_tool("compare", {"file": "pairs.py"}))
    async with connected(tmp_path, "--root", str(shop), roots=[tmp_path.parent / "other", Path("/usr")]) as client:
        assert "nothing in common" in error(await client.call_tool("survey", {}))


@pytest.mark.slow
async def test_settings_of_the_project_do_not_soften_a_verdict(shop: Path) -> None:
    (shop / "pyproject.toml").write_text("[tool.afterburner]\nfloat_tolerance = 0.5\nassume = ['len(values) > 2']\n")
    (shop / "mean.py").write_text(
        "def mean(values: list[float]) -> float:\n    return sum(values) / max(len(values), 1)\n\n\n"
        "if __name__ == '__main__':\n    mean([1.0, 2.0, 4.5])\n"
    )
    rewrite = "def mean(values):\n    return 1.3 * sum(values) / len(values)\n"
    async with connected(shop) as client:
        asked = {"file": "mean.py", "function": "mean", "rewrite": rewrite}
        found = answer(await client.call_tool("compare", asked))
    assert (found["decision"], found["same_behaviour"], found["assumed"]) == ("different", False, [])
    assert (found["before"], found["after"]) == ("the file on the disk", "your rewrite")


async def test_a_project_chooses_no_model_unless_its_user_allows_it(shop: Path) -> None:
    (shop / "pyproject.toml").write_text("[tool.afterburner]\nmodel = 'openai/gpt-5'\n")
    async with connected(shop) as client:
        said = error(await client.call_tool("optimize", {"file": "pairs.py"}))
        assert "model" in said
        assert "AFTERBURNER_TRUSTED_PROJECTS" in said
        asked = {"file": "pairs.py", "function": "pairs", "rewrite": WRONG}
        assert answer(await client.call_tool("compare", asked))["decision"] == "different", "no model takes part"


@pytest.mark.nightly
async def test_what_cannot_be_done_is_said_in_words(shop: Path) -> None:
    async with connected(shop) as client:
        for arguments, says in IMPOSSIBLE:
            said = error(await client.call_tool("compare", arguments))
            assert says in said, (arguments, said)


@pytest.mark.slow
async def test_a_cancelled_call_stops_the_sandbox_and_the_server_goes_on(shop: Path) -> None:
    (shop / "endless.py").write_text("import time\n\n\ndef wait(x: int):\n    time.sleep(60)\n\n\nwait(1)\n")
    async with connected(shop) as client:
        begun = anyio.Event()
        running: list[Any] = []

        async def progress(*_: Any) -> None:
            begun.set()

        def are_running() -> bool:
            running[:] = _sandboxes()  # some end at once: what was seen counts
            return bool(running)

        async with anyio.create_task_group() as group:
            group.start_soon(partial(client.call_tool, "optimize", {"file": "endless.py"}, progress_callback=progress))
            await begun.wait()
            assert await to_thread.run_sync(wait_until, are_running)
            group.cancel_scope.cancel()
        assert await to_thread.run_sync(wait_until, lambda: not any(map(is_alive, running)))
        asked = {"file": "pairs.py", "function": "pairs", "rewrite": WRONG}
        assert answer(await client.call_tool("compare", asked))["decision"] == "different"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("reads", [True, False])
def test_a_client_that_leaves_during_a_call_leaves_nothing_behind(shop: Path, tmp_path: Path, *, reads: bool) -> None:
    (shop / "endless.py").write_text("import time\n\n\ndef wait(x: int):\n    time.sleep(60)\n")
    folder = tmp_path / "temporary"
    folder.mkdir()
    call = {"name": "optimize", "arguments": {"file": "endless.py", "calls": "from endless import wait\nwait(1)"}}
    server = subprocess.Popen(
        SERVER,
        cwd=shop,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        messages: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": client},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {**call, "_meta": {"progressToken": "p"}}},
        ]
        for each in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
        server.stdin.flush()
        assert b"serverInfo" in server.stdout.readline()
        assert b"notifications/progress" in server.stdout.readline()
        assert wait_until(lambda: bool(descendants(server.pid)))
        running = descendants(server.pid)
        if not reads:
            server.stdout.close()
        server.stdin.close()
        assert server.wait(60) == 0
        assert server.stderr.read() == b"", "nothing went wrong"
    assert wait_until(lambda: not any(map(is_alive, running)))
    assert list(folder.iterdir()) == []


def _sandboxes() -> list[int]:
    """The processes that our server has started."""
    return [child for server in _servers() for child in descendants(server)]


def _servers() -> list[int]:
    """Our server: this process may have others, of the fixtures of other tests."""
    return [each for each in descendants(os.getpid()) if b"\0mcp" in _command(each)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_roots_are_what_was_named_and_never_the_whole_machine(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    home = Roots((), Path.home())
    with pytest.raises(UsageError, match="too wide"):
        home.folders()
    with pytest.raises(UsageError, match="too wide"):
        Roots((), Path("/")).folders()
    assert home.seen_by([inner.as_uri()]).folders() == (inner,)
    for unusable in ("https://example.org/x", "file://elsewhere/x", "untitled:1", "file:///no/such", "file:///%00"):
        with pytest.raises(UsageError, match="None of the roots"):
            Roots((), tmp_path).seen_by([unusable]).folders()
    with pytest.raises(UsageError, match="None of the roots"):
        Roots((), tmp_path).seen_by(["file:///", Path.home().as_uri()]).folders()
    assert Roots((), tmp_path).seen_by([]).folders() == (tmp_path,)
    assert Roots((inner,), Path("/")).seen_by([tmp_path.as_uri()]).folders() == (inner,)
    assert Roots((tmp_path,), Path("/")).seen_by([inner.as_uri()]).folders() == (inner,)


def test_a_project_that_reaches_outside_of_the_roots_is_refused(project: Path) -> None:
    inner = project / "inner"
    inner.mkdir()
    (inner / "pairs.py").write_text(PAIRS)
    with pytest.raises(UsageError, match="reaches outside"):
        Roots((inner,), Path("/")).find("pairs.py")
    assert Roots((project,), Path("/")).find("inner/pairs.py") == inner / "pairs.py"


def test_a_history_outside_of_the_roots_is_not_read(project: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "other"], check=True)
    (project / ".git").write_text(f"gitdir: {tmp_path / 'other' / '.git'}\n")
    with pytest.raises(UsageError, match="outside of the roots"):
        Roots((project,), Path("/")).check_repository(project)
    Roots((tmp_path,), Path("/")).check_repository(project)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("import re\nSIZE = 3\ndef f(x): return g(x)\ndef g(x): return x\ndef new(x): return x\n", ()),
        ("SIZE = 3\nTABLE = {1: 2}\ndef f(x): return TABLE[x]\ndef g(x): return x\n", ()),
        ("SIZE = 3\ndef f(x): return 1\n", ("g is gone",)),
        ("SIZE = 3\ndef f(x): return 1\ndef g(x): return 2\n", ("g differs",)),
        (
            "SIZE = 4\ndef f(x): return 1\ndef g(x): return x\n",
            ("statements of the module outside of functions differ",),
        ),
    ],
)
def test_what_else_differs_is_told(after: str, told: tuple[str, ...]) -> None:
    before = "SIZE = 3\ndef f(x): return x\ndef g(x): return x\n"
    assert differences_beside(before, after, "f") == told


def findings(decision: ComparisonDecision, **more: Any) -> VersionFindings:
    return VersionFindings(decision, "reason", **more)


def test_advice_fits_what_is_known() -> None:
    agreed = Agreement((("made anew", 70),))
    assert "whether it does the same is not known" in advice_on(findings(ComparisonDecision.SLOWER))
    assert "No difference was found" in advice_on(findings(ComparisonDecision.SLOWER, agreement=agreed))
    objected = findings(ComparisonDecision.TOO_NOISY, agreement=agreed, objection="it reads the clock")
    assert "Remove what the reason objects to" in advice_on(objected)
    assert "larger max_seconds" in advice_on(findings(ComparisonDecision.TOO_NOISY, agreement=agreed))
    assert "`assume`" not in advice_on(findings(ComparisonDecision.CONDITIONAL))
    assert in_words_of_tools("Give --max-seconds or --calls") == "Give `max_seconds` or `calls`"


def test_the_cap_of_costs_holds_for_all_calls_together() -> None:
    account = Account()
    event = ProgressEvent(kind=EventKind.STAGING_VERSIONS, usage=Usage(requests=1, cost_usd=0.75))
    with account.of_call({"max_cost": 1.0}, lambda _: None) as (given, on_event):
        assert given == {"max_cost": 1.0}
        on_event(event)
    with account.of_call({"max_cost": 1.0}, lambda _: None) as (given, on_event):
        assert given == {"max_cost": 0.25}
        on_event(event)
    with pytest.raises(UsageError, match="--max-cost"), account.of_call({"max_cost": 1.0}, lambda _: None):
        pass
