"""Which layout a record looks like, to help whoever gave a file in another one; and which path was meant."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.evals.datasets.files import records_of_file
from afterburner.evals.problems import Rejected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SAMPLES = Path(__file__).parent / "samples"
OWN = "your own"
_OWN_FIELDS = frozenset({"name", "description", "cases"})
RAW = "raw problems"
_RAW_FIELDS = frozenset({"problem_id", "question_content", "solutions"})  # those that eval build cannot do without


def layout_of(values: Mapping[str, object]) -> str:
    """The dataset whose sample has the most fields, all of which the record has; else `OWN`, `RAW` or empty."""
    found, most = "", 0
    for name, fields in _known_layouts():
        if fields <= values.keys() and len(fields) > most:
            found, most = name, len(fields)
    return found or (RAW if values.keys() >= _RAW_FIELDS else "")


def path_meant(name: str) -> str:
    """A file or folder beside a path that is not there, whose name is nearly the same; empty: there is none."""
    path = Path(name)
    try:
        beside = [each.name for each in path.parent.iterdir() if not each.name.startswith(".")]
    except OSError:
        return ""
    near = get_close_matches(path.name, beside, n=1, cutoff=0.75)
    return str(path.parent / near[0]) if near else ""


def _known_layouts() -> Iterable[tuple[str, frozenset[str]]]:
    yield OWN, _OWN_FIELDS
    for sample in sorted(SAMPLES.iterdir()):
        kinds = [frozenset(each.values) for each in records_of_file(sample) if not isinstance(each, Rejected)]
        if kinds:
            yield sample.name.partition(".")[0], frozenset.intersection(*kinds)
