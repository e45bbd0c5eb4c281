"""One trial of `make bench-judge`: what a run says of one rewrite of the corpus, which a model answered."""

from __future__ import annotations

import json
import tempfile
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent import Job, Search, open_session
from afterburner.agent.types import Decision
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.sandbox import Sandbox
    from scripts.judge_bench.corpus import CorpusRewrite


class Outcome(StrEnum):
    """What became of a rewrite."""

    OFFERED = "offered"
    CONDITIONAL = "conditional"  # shown with the assumption that it needs, and not written
    REFUSED = "refused"
    ENDED = "ended"  # the run ended with an error, so that no rewrite of the function can be offered


def try_rewrite(sandbox: Sandbox, rewrite: CorpusRewrite, max_seconds: float) -> dict[str, Any]:
    """The record of one whole run on a copy of the project, with the rewrite as the model's only answer."""
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="judge-bench-") as folder:
        file = rewrite.copy_project(Path(folder) / "project")
        answers = Path(folder) / "answers.jsonl"
        answers.write_text(json.dumps({"content": _as_answered(rewrite.answer)}) + "\n", encoding="utf-8")
        search = Search(iterations=1, max_seconds=max_seconds)
        try:
            with open_session(sandbox=sandbox, model=f"replay:{answers}", store=None) as session:
                told = _told(session.optimize(Job.from_file(file, function=rewrite.function), search))
        except AfterburnerError as error:
            told = {"outcome": Outcome.ENDED, "reason": str(error)}
    return {
        "key": rewrite.key,
        "part": rewrite.part,
        "kind": rewrite.kind,
        "aspect": rewrite.aspect,
        **told,
        "seconds": round(time.monotonic() - began_s, 1),
    }


def _told(result: RunResult) -> dict[str, Any]:
    [candidate] = result.candidates
    if result.improved:
        return {"outcome": Outcome.OFFERED, "reason": "", "gain": result.gain and result.gain.ratio}
    outcome = Outcome.CONDITIONAL if candidate.decision is Decision.CONDITIONAL else Outcome.REFUSED
    return {"outcome": outcome, "reason": candidate.reason, "counterexample": candidate.counterexample}


def _as_answered(code: str) -> str:
    return f"<thinking>\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"
