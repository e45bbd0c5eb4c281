"""The tools that a coding agent sees.

Their descriptions and parameters are what the agent decides by, so they say when to use a tool and what it costs. None
but `apply_rewrite` writes to the project, so that a client can let the others run without a question, unless they ask a
model that costs money.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from mcp.server.mcpserver import Context, ListRoots, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, ListRootsResult, ToolAnnotations
from pydantic import Field

from afterburner.agent import AfterburnerError, CancelToken, SettingsError, project_of
from afterburner.agent.code.patch import write_atomically
from afterburner.agent.events import OnEvent
from afterburner.agent.loop.results import RunResult
from afterburner.agent.models.prompts.reading_answers import MAX_ANSWER_CHARS
from afterburner.agent.options import ModelOptions
from afterburner.lsp_server.mcp_server import work
from afterburner.lsp_server.mcp_server.account import Account
from afterburner.lsp_server.mcp_server.answers import (
    ApplyAnswer,
    CompareAnswer,
    OptimizeAnswer,
    SurveyAnswer,
    compare_answer,
    in_words_of_tools,
    optimize_answer,
    survey_answer,
)
from afterburner.lsp_server.mcp_server.roots import Roots
from afterburner.lsp_server.mcp_server.running import Runner
from afterburner.lsp_server.project_session import RunRequest

INSTRUCTIONS = """\
Afterburner checks whether Python code got faster and still does the same. When you have written a faster version of \
a function, check it: call compare. It runs both versions in a sandbox on real calls and on inputs made to find a \
difference, and answers with a counterexample or a measured gain. That is strong evidence and no proof that they are \
equal. survey names the functions that are worth the work; optimize lets built-in rules, or a language model that the \
user chose, write the rewrite. These three write nothing to the project. A call takes from a few seconds to minutes \
and reports its progress.\
"""
_MOST_KEPT = 20  # results that apply_rewrite can write
_GIVEN_BY = "the command line of the MCP server"
_TO_ALLOW = (
    "Ask the user, who can set AFTERBURNER_TRUSTED_PROJECTS in the server's environment to the project's folder. "
    "Do not change the file yourself."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ASKS_MODEL = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)

_File = Annotated[str, Field(description="A Python file: an absolute path, or one below a root.")]
_Function = Annotated[str | None, Field(description="`name` or `Class.name`.", min_length=1)]
_Calls = Annotated[
    str | None,
    Field(
        description="Python code that imports the function and calls it, with arguments as they really occur, small "
        "and large. It takes the place of the calls that are found in `__main__`, doctests and tests. Give it if "
        "there are none, or if they are not typical.",
        max_length=MAX_ANSWER_CHARS,
    ),
]
_Assume = Annotated[
    list[str] | None,
    Field(
        description="What holds for every input: Python expressions over the parameters, such as `len(items) > 0`. "
        "Only state what every caller keeps to.",
        max_length=20,
    ),
]
_Objective = Annotated[
    Literal["time", "memory", "integral"],
    Field(description="CPU time, peak memory, or memory summed over time."),
]
_OwnObjective = Annotated[
    Literal["time", "memory", "integral"] | None,
    Field(description="As of compare; default: the project's, or time."),
]
_MaxSeconds = Annotated[
    float | None,
    Field(
        description="Time budget, seconds; default 300. A call may take ten seconds longer. Stay below the time after "
        "which your client gives up.",
        gt=0,
        le=86_400,
    ),
]


async def _roots_of_client(context: Context[Any, Any]) -> ListRoots | ListRootsResult:
    """Ask the client for its roots, where it has some."""
    can = context.client_capabilities
    return ListRoots() if can is not None and can.roots is not None else ListRootsResult(roots=[])


_ClientRoots = Annotated[ListRootsResult, Resolve(_roots_of_client)]
_Context = Context[Any, Any]
_Result = TypeVar("_Result")


def make_server(version: str, roots: Roots, given: Mapping[str, Any]) -> MCPServer:
    """A server with all tools.

    Args:
        version: of the program.
        roots: what it may touch.
        given: settings of runs that its user gave, by their names in pyproject.toml.
    """
    tools = Tools(roots, given)
    asks_model = given.get("model", ModelOptions().model) != ModelOptions().model
    return _Server(
        "afterburner-agent",
        title="Afterburner Agent",
        instructions=INSTRUCTIONS,
        version=version,
        tools=[
            _tool(tools.survey, "Find the functions worth optimizing", _READS),
            _tool(tools.compare, "Check a rewrite, and measure its gain", _READS),
            _tool(tools.optimize, "Search for a faster rewrite", _ASKS_MODEL if asks_model else _READS),
            _tool(tools.apply_rewrite, "Write a rewrite to its file", _WRITES),
        ],
    )


def _tool(function: Callable[..., Any], title: str, annotations: ToolAnnotations) -> Tool:
    made = Tool.from_function(function, title=title, description=getdoc(function), annotations=annotations)
    made.parameters = {**made.parameters, "additionalProperties": False}
    return made


class _Server(MCPServer):
    """Refuses arguments that a tool does not have: the SDK drops them, and a misspelt `rewrite` would be none."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by its name.

        Raises:
            ToolError: it has no such argument, or fails.
        """
        tool = next((each for each in await self.list_tools() if each.name == name), None)
        known = tool.input_schema["properties"] if tool is not None else arguments
        if unknown := sorted(set(arguments) - set(known)):
            raise ToolError(f"{name} has no argument {', '.join(unknown)}; it has {', '.join(known)}.")
        return await super().call_tool(name, arguments, context)


class Tools:
    """The tools of one server. Their docstrings and parameters are what the agent sees."""

    def __init__(self, roots: Roots, given: Mapping[str, Any]) -> None:
        """See `make_server`."""
        self._roots = roots
        self._given = given
        self._runner = Runner()
        self._account = Account()
        self._results: OrderedDict[str, RunResult] = OrderedDict()

    async def survey(
        self,
        *,
        context: _Context,
        client_roots: _ClientRoots,
        folder: Annotated[str, Field(description="A folder or a file: an absolute path, or one below a root.")] = ".",
        limit: Annotated[int, Field(description="How many functions to name.", ge=1, le=200)] = 10,
    ) -> SurveyAnswer:
        """Rank the functions of a project by the CPU time that a rewrite could save.

        The project's tests are profiled in the sandbox, for a minute at most. Nothing is written.
        """
        roots, place = self._find(client_roots, folder)
        return survey_answer(await self._run(context, roots, partial(work.survey, place)), limit)

    async def compare(
        self,
        *,
        context: _Context,
        client_roots: _ClientRoots,
        file: _File,
        function: _Function = None,
        rewrite: Annotated[
            str | None,
            Field(
                description="The second version: new code of `function`, with the imports and helpers that it needs; "
                "without `function`, the whole new file. Without it, the file on the disk is the second version.",
                max_length=MAX_ANSWER_CHARS,
            ),
        ] = None,
        base: Annotated[
            str | None,
            Field(
                description="The git revision of the first version. Default: with a rewrite the file on the disk, "
                "otherwise the last commit.",
                min_length=1,
            ),
        ] = None,
        calls: _Calls = None,
        assume: _Assume = None,
        objective: _Objective = "time",
        max_seconds: _MaxSeconds = None,
    ) -> CompareAnswer:
        """Compare two versions of a function: does the second do the same, and is it faster?

        Use it on each faster version that you have written, before you tell anyone that it is faster. It runs both in
        a sandbox, on calls from `__main__`, doctests and tests, and on hundreds of inputs made to find a difference.
        It answers with a counterexample, or with a gain and its confidence interval. Nothing is written to the
        project, and its settings do not count.
        """
        roots, place = self._find_file(client_roots, file)
        if rewrite is None or base is not None:
            self._check(lambda: roots.check_repository(project_of(place)))
        asked = work.FunctionRequest(calls, assume or (), _given(objective=objective, max_seconds=max_seconds))

        def do(request: RunRequest) -> work.Compared:
            return work.compare(place, function, asked, request, rewrite=rewrite, base=base)

        done = await self._run(context, roots, do)
        return compare_answer(done.result, done.before, done.after, done.not_judged)

    async def optimize(
        self,
        *,
        context: _Context,
        client_roots: _ClientRoots,
        file: _File,
        function: _Function = None,
        objective: _OwnObjective = None,
        iterations: Annotated[
            int | None, Field(description="Rounds of the search; default: the project's, or 4.", ge=1, le=100)
        ] = None,
        calls: _Calls = None,
        assume: _Assume = None,
        max_seconds: _MaxSeconds = None,
    ) -> OptimizeAnswer:
        """Search for a better version of a function; without `function`, of the hottest one in the file.

        Built-in rules propose rewrites, or the language model that the user has set. The answer is a patch with its
        proven gain, or says why there is none. Nothing is written to the project: apply_rewrite does that.
        """
        roots, place = self._find_file(client_roots, file)
        settings = _given(objective=objective, max_seconds=max_seconds, iterations=iterations)
        asked = work.FunctionRequest(calls, assume or (), settings)

        def do(request: RunRequest) -> RunResult:
            return work.optimize(place, function, asked, request)

        result = await self._run(context, roots, do)
        self.keep(result)
        return optimize_answer(result)

    async def apply_rewrite(
        self,
        client_roots: _ClientRoots,
        run_id: Annotated[str, Field(description="Of an improvement that optimize has found.")],
    ) -> ApplyAnswer:
        """Write the rewrite that optimize has found to its file, if the file has not changed since."""
        result = self._results.get(run_id)
        if result is None or not result.improved:
            raise ToolError(f"No improvement of a run {run_id!r:.60} is kept. Call optimize first.")
        _, place = self._find(client_roots, result.target.path)  # the roots may be others by now
        if not _holds(place, result):  # as after an earlier call
            self._check(lambda: write_atomically(result.target, result.best_source))
        return ApplyAnswer(file=result.target.path, function=result.target.function)

    def keep(self, result: RunResult) -> None:
        """Keep a result for `apply_rewrite`, and forget the oldest if there are many."""
        self._results[result.run_id] = result
        while len(self._results) > _MOST_KEPT:
            self._results.popitem(last=False)

    def _find(self, client_roots: ListRootsResult, path: str) -> tuple[Roots, Path]:
        roots = self._roots.seen_by(str(each.uri) for each in client_roots.roots)
        return roots, self._check(lambda: roots.find(path))

    @staticmethod
    def _check(step: Callable[[], _Result]) -> _Result:
        """Do something quick, whose errors are answers."""
        try:
            return step()
        except AfterburnerError as error:
            raise ToolError(in_words_of_tools(str(error))) from error

    def _find_file(self, client_roots: ListRootsResult, path: str) -> tuple[Roots, Path]:
        roots, place = self._find(client_roots, path)
        if not place.is_file():
            raise ToolError(f"{place} is not a file. Give one; survey names the functions of a folder.")
        return roots, place

    async def _run(self, context: _Context, roots: Roots, do: Callable[[RunRequest], _Result]) -> _Result:
        def work_of(cancel: CancelToken, on_event: OnEvent) -> _Result:
            with self._account.of_call(self._given, on_event) as (given, counted):
                return do(RunRequest(given, _GIVEN_BY, frozenset(), roots.trust, _refuse, cancel, counted))

        return await self._runner.run(context, work_of)


def _refuse(names: Sequence[str], path: Path | None) -> NoReturn:
    """End a call whose project sets what its user has not allowed."""
    raise SettingsError(f"{path} sets {', '.join(names)}, which was not allowed. {_TO_ALLOW}")


def _holds(place: Path, result: RunResult) -> bool:
    """Whether a file holds a rewrite already."""
    try:
        return place.read_bytes() == result.best_source.encode(result.target.encoding)
    except (OSError, UnicodeEncodeError):  # `write_atomically` says what is wrong
        return False


def _given(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}
