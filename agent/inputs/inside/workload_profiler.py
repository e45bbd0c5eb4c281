"""Profiles a whole workload, over many files: what each of their functions costs, and which tests call it."""

from __future__ import annotations

import cProfile
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Tuple

from .alarm import PROFILED_SHARE, TIME_OVER, has_rung, limited_time
from .time_profiler import function_spans, outside_share

if TYPE_CHECKING:
    from .harness_types import Request, Write

MAX_TOLD = 2000  # functions
MAX_TESTS = 20  # files of tests told for each function
Place = Tuple[str, str]  # path, name; the name is empty for other code of the file


class Figures:
    """What is known of one function."""

    def __init__(self) -> None:
        self.cost_s, self.repeated_s, self.calls = 0.0, 0.0, 0
        self.by_origin: Dict[str, float] = {}


class Survey:
    """Takes a profile for each origin (a file of tests); stands in for the recorder, whose `origin` the jobs set."""

    def __init__(self, files: List[str]) -> None:
        self.names: List[str] = []
        self.count = 0
        self.figures: Dict[Place, Figures] = {}
        self._files = files
        self._spans: Dict[str, Tuple[str, List[Tuple[str, int, int]]]] = {}
        self._places: Dict[Any, Optional[Place]] = {}
        self._real: Dict[str, str] = {}
        self._origin = ""
        self._profile = cProfile.Profile()

    @property
    def origin(self) -> str:
        """Where the calls come from that are seen now."""
        return self._origin

    @origin.setter
    def origin(self, origin: str) -> None:
        if origin != self._origin:
            self.stop()
            self._origin = origin
            self.start()

    def start(self) -> None:
        """Begin a profile, for the origin at hand."""
        self._profile = cProfile.Profile()
        self._profile.enable()

    def stop(self) -> None:
        """End it and add it up."""
        self._profile.disable()
        self._add(self._profile.getstats())
        self._profile = cProfile.Profile()

    def _add(self, entries: Iterable[Any]) -> None:
        entries = list(entries)
        places = {entry.code: self._place(entry.code) for entry in entries}
        shares = {entry.code: outside_share(entry, places) for entry in entries}
        for entry in entries:
            place = places[entry.code]
            if place is None:
                continue
            figures = self.figures.setdefault(place, Figures())
            cost_s = entry.inlinetime
            for callee in entry.calls or ():
                other = places.get(callee.code)
                if other is None:
                    cost_s += callee.totaltime * shares.get(callee.code, 1.0)
                elif other != place and callee.callcount > entry.callcount:
                    figures.repeated_s += max(callee.totaltime, 0.0) * (1 - entry.callcount / callee.callcount)
            figures.cost_s += max(cost_s, 0.0)
            if getattr(entry.code, "co_name", "") == place[1].rpartition(".")[2]:
                figures.calls += entry.callcount
                figures.by_origin[self._origin] = figures.by_origin.get(self._origin, 0.0) + max(cost_s, 0.0)

    def _place(self, code: Any) -> Optional[Place]:
        if isinstance(code, str):
            return None
        if code not in self._places:
            self._places[code] = self._look_up(code)
        return self._places[code]

    def _look_up(self, code: Any) -> Optional[Place]:
        if not self._spans:
            for path in self._files:
                with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - plain and quick
                    self._spans[os.path.realpath(path)] = (path, _spans_of(file.read()))
        name = code.co_filename
        if name not in self._real:
            self._real[name] = os.path.realpath(name)
        known = self._spans.get(self._real[name])
        if known is None:
            return None
        path, spans = known
        return path, next((name for name, first, last in spans if first <= code.co_firstlineno <= last), "")


def profile_files(job: Callable[..., None], request: Request, _recorder: object, write: Write) -> None:
    """Run `job` under a profiler and write one record for each function of `request["files"]` that ran."""
    survey = Survey(request["files"])
    with limited_time(PROFILED_SHARE * request["wall_time_s"]):
        survey.start()
        job(request, survey, write)
    survey.stop()
    _tell_of_the_end(write)
    told = sorted(survey.figures.items(), key=lambda item: -item[1].cost_s)[:MAX_TOLD]
    for (path, name), figures in told:
        origins = sorted(figures.by_origin, key=lambda origin: -figures.by_origin[origin])
        write(
            {
                "kind": "surveyed",
                "path": path,
                "function": name,
                "cost_s": float(figures.cost_s),
                "repeated_s": float(figures.repeated_s),
                "calls": figures.calls,
                "origins": [origin for origin in origins if origin][:MAX_TESTS],
            }
        )


def no_profile(job: Callable[..., None], request: Request, recorder: object, write: Write) -> None:
    """Just run `job`."""
    with limited_time(PROFILED_SHARE * request["wall_time_s"]):
        job(request, recorder, write)
    _tell_of_the_end(write)


def _tell_of_the_end(write: Write) -> None:
    if has_rung():
        write({"kind": "failed", "stage": "time_over", "reason": TIME_OVER})


def _spans_of(source: str) -> List[Tuple[str, int, int]]:
    try:
        return function_spans(source)
    except (SyntaxError, ValueError):  # a template, say; nothing of it runs
        return []
