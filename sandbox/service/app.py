"""The endpoints of the service."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.errors import AfterburnerError
from afterburner.sandbox.languages import LANGUAGES
from afterburner.sandbox.sandbox import Sandbox
from afterburner.sandbox.service.crew import Crew
from afterburner.sandbox.service.gate import LOGGER, Gate
from afterburner.sandbox.service.metrics import Metrics
from afterburner.sandbox.service.monolith import ExecuteRequest, ExecuteResponse, execution_of
from afterburner.sandbox.service.problems import RefusalError, explain_mistakes, failure, refusal_of
from afterburner.sandbox.service.settings import Settings
from afterburner.sandbox.service.tasks import job_of
from afterburner.sandbox.service_schema import (
    AppliedLimits,
    Health,
    LanguageModel,
    Problem,
    QueueModel,
    ReportModel,
    RunRequest,
    RunResponse,
)
from afterburner.sandbox.types import Report

_Result = TypeVar("_Result")
_LOGGED = 500
_DESCRIPTION = """
Runs untrusted programs in a sandbox, judges what they print and measures what they use.

`POST /run` takes a program and its cases and answers with a full report. `POST /execute` has the fields of the original
Monolith. Every answer but 200 is a `Problem`: it says why there is no report, and nothing about the program.
"""
_PROBLEMS: dict[int | str, dict[str, object]] = {
    401: {"model": Problem, "description": "no token, or a wrong one"},
    408: {"model": Problem, "description": "the body came too slowly"},
    413: {"model": Problem, "description": "the body is too long"},
    422: {"model": Problem, "description": "the request cannot be carried out"},
    429: {"model": Problem, "description": "too many requests from this address; see Retry-After"},
    500: {"model": Problem, "description": "the sandbox failed, several times; it says nothing about the program"},
    501: {"model": Problem, "description": "the language is not available here"},
    503: {"model": Problem, "description": "the queue is full, or the service is shutting down; see Retry-After"},
}


class Service:
    """The application and what it works with."""

    def __init__(self, sandbox: Sandbox, settings: Settings, version: str) -> None:
        self.crew = Crew(sandbox, divide_cores(), jobs=settings.jobs, waiting=settings.waiting)
        self._sandbox = sandbox
        self._settings = settings
        self._version = version
        self._metrics = Metrics(self.crew)
        self._languages = _find_languages(sandbox)  # once: it starts each of their programs

    def app(self) -> ASGIApp:
        """All of it, behind the gate."""
        app = FastAPI(
            title="Afterburner sandbox",
            version=self._version,
            description=_DESCRIPTION,
            redoc_url=None,
            swagger_ui_oauth2_redirect_url=None,
            dependencies=[Depends(HTTPBearer(auto_error=False))],  # for the page; the gate asks for it
        )
        app.post("/run", response_model=RunResponse, responses=_PROBLEMS)(self.run)
        app.post("/execute", response_model=ExecuteResponse, responses=_PROBLEMS)(self.execute)
        app.get("/health")(self.health)
        app.get("/metrics", response_class=Response)(self.metrics)
        app.exception_handler(RequestValidationError)(_explain_form)
        app.exception_handler(HTTPException)(_explain_status)
        app.exception_handler(AfterburnerError)(_explain_error)
        app.exception_handler(RefusalError)(_answer_refusal)
        app.exception_handler(Exception)(_answer_failure)
        paths = frozenset(str(getattr(route, "path", "")) for route in app.routes)
        return Gate(app, self._settings, self.crew, self._metrics, paths)

    async def run(self, body: RunRequest, request: Request) -> Response:
        """Runs a program on cases and judges it."""
        job = job_of(body, self._settings)

        def work(sandbox: Sandbox, cpu: int) -> tuple[Report, str]:
            report = job.run(sandbox, cpu)
            response = RunResponse(
                report=ReportModel.model_validate(report), limits=AppliedLimits.model_validate(job.limits)
            )
            return report, response.model_dump_json()

        report, text = await _while_connected(request, lambda: self.crew.run(work))
        self._metrics.count_report(job.program.language, report.verdict, report.measurement.cpu_time_s)
        return Response(text, media_type="application/json")

    async def execute(self, body: ExecuteRequest, request: Request) -> Response:
        """Runs a program once and judges nothing: the original Monolith's request and response fields."""
        execution = execution_of(body, self._settings)
        response = await _while_connected(request, lambda: self.crew.run(execution.run))
        self._metrics.count_report(execution.program.language, response.verdict, None)
        return Response(response.model_dump_json(), media_type="application/json")

    async def health(self) -> Health:
        """Whether the service takes work, what it runs on and what it knows."""
        backend, tier = self._sandbox.describe()
        return Health(
            status="stopping" if self.crew.is_stopping else "ok",
            version=self._version,
            backend=backend,
            tier=tier,
            languages=self._languages,
            queue=QueueModel(
                running=self.crew.running,
                waiting=self.crew.admitted - self.crew.running,
                jobs=self.crew.jobs,
                bound=self.crew.bound,
            ),
            most=AppliedLimits.model_validate(self._settings.limits),
        )

    async def metrics(self) -> Response:
        """Counters for Prometheus."""
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")


def _find_languages(sandbox: Sandbox) -> tuple[LanguageModel, ...]:
    found = []
    for language in LANGUAGES.values():
        try:
            version = sandbox.backend.toolchain(language).version
            found.append(LanguageModel(name=language.name, version=version))
        except AfterburnerError as error:
            found.append(LanguageModel(name=language.name, version=None, reason=str(error)))
    return tuple(found)


async def _while_connected(request: Request, start: Callable[[], Awaitable[_Result]]) -> _Result:
    """The result, unless the client leaves before: then the work is cancelled."""
    work = asyncio.ensure_future(start())
    left = asyncio.ensure_future(_leaving(request))
    try:
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise RefusalError(499, "left", "The client left.")
        return work.result()
    finally:
        left.cancel()
        work.cancel()
        await asyncio.wait((work, left))


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _explain_form(_: Request, error: Annotated[Exception, RequestValidationError]) -> Response:
    return explain_mistakes(error.errors() if isinstance(error, RequestValidationError) else ()).response()


def _explain_status(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    response = RefusalError(error.status_code, "usage", f"{error.detail}. /docs lists the paths.").response()
    response.headers.update(error.headers or {})
    return response


def _explain_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, AfterburnerError):
        raise error
    refusal = refusal_of(error)
    if refusal.status == 500:
        LOGGER.error("the sandbox failed: %s", ascii(refusal.message)[:_LOGGED])  # escaped: it is one line in any case
    return refusal.response()


def _answer_refusal(_: Request, error: Exception) -> Response:
    if not isinstance(error, RefusalError):
        raise error
    return error.response()


def _answer_failure(_request: Request, _error: Exception) -> Response:
    return failure().response()
