"""What a run is asked to do, and how."""

from __future__ import annotations

from dataclasses import dataclass

from afterburner.agent.types import Objective


@dataclass(frozen=True)
class RunSettings:
    """What the user asked for; the command line's options, typed."""

    file: str
    function: str | None = None
    objective: Objective = Objective.TIME
    model: str = "rules"
    iterations: int = 4  # rounds of generate, profile, select
    candidates: int = 1  # answers asked of a language model in each iteration
    context_tokens: int = 3_000  # of what a model is told of the project around the function
    allow_imports: tuple[str, ...] = ()  # modules or distributions that a rewrite may newly import; "all"
    calls_file: str | None = None  # a Python file whose execution calls the target
    cases_dir: str | None = None  # NAME.in / NAME.out pairs
    python: str | None = None  # the user's interpreter
    seed: int = 0
    max_seconds: float = 300.0
    min_effect: float = 0.05  # a gain's lower bound must exceed 1 + this
    min_effect_source: str = ""  # who said so; empty: nobody, and what selfcheck found on this machine holds
    float_tolerance: float | None = None  # the largest relative difference of two floats; None: none at all
    deterministic: bool = False  # count instructions under valgrind, too
    min_gain_per_line: float = 0.0  # gain (ratio - 1) per added line below which an offer is only displayed
    tell: str = "all"  # what a language model is told: see `proposers/telling.py`
    fallbacks: tuple[str, ...] = ()  # models that are asked, in this order, where the one before fails
    max_cost_usd: float | None = None  # caps on what language models may use; None: as much as it takes
    max_tokens: int | None = None
    max_requests: int | None = None
    timeout_s: float = 120.0  # for one whole answer of a language model
    retries: int = 3  # of a request that failed for a while
    cache: bool = True  # whether a model's answer that is stored is given again
    record: str | None = None  # where answers are written for `replay:`
    receipt: bool = False  # whether to keep what a receipt is written from
    language: str | None = None  # of the file; None: its suffix tells, else it is Python
    search: str = "adaptive"  # a preset of `afterburner.agent.loop.search_policy`: what the following leave open
    patience: int | None = None  # rounds in a row without a better rewrite that end the search; 0: none do
    restart: int | None = None  # likewise, after which rounds go on from the next best; 0: never
    temperature: str = ""  # "0.7", or "0.2:1.0" of the first round and the last; empty: the model's own
    command: tuple[str, ...] = ()  # what stands behind `python`: its calls of the target are the workload
    command_folder: str = ""  # where it starts
    project_root: str = ""  # of the target; empty: it is found by the file
    top: int = 0  # over so many targets of `file`, which may be a folder; 0: a run on one
    test_files: tuple[str, ...] | None = None  # that reach the target, from the project's root; None: find them
