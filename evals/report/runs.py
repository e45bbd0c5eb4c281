"""The runs that a report is about: what kind each is, and on which tests it is scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent import UsageError
from afterburner.agent.models.prompts.feedback import PAPER, Telling, parse_telling
from afterburner.evals.errors import EvaluationError
from afterburner.evals.evaluation import PRIVATE, PUBLIC, Evaluation, load_evaluation, merged
from afterburner.evals.report.paper_models import TRAINED, paper_model
from afterburner.evals.report.paper_numbers import APPS, LIVECODEBENCH, MERCURY, VENUS
from afterburner.evals.tables import COMPLETE, file_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KINDS = {
    "paper": PAPER,
    "no-feedback": Telling(numbers=False, counterexample=False, profile=False, history=False),
    "no-original": Telling(original=False, counterexample=False, profile=False, history=False),
    "history-aware": Telling(counterexample=False, profile=False, history=False, solutions=True),
}


PAPER_DATASETS = {VENUS: VENUS, APPS: APPS, "apps-python": APPS, MERCURY: MERCURY, LIVECODEBENCH: LIVECODEBENCH}
_PYTHON = "python"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Run:
    """One run of `eval run`.

    Attributes:
        label: how the report calls it; no two runs of a report are called the same.
        public: as measured on the public tests, which the loop saw.
        private: on the private ones; None: no problem has any.
        unfinished: why there may be more to come; empty: nothing is missing.
        held_against: the paper's dataset that one of another name is, such as a benchmark that was built from it.
    """

    label: str
    public: Evaluation
    private: Evaluation | None
    unfinished: str = ""
    held_against: str = ""

    @property
    def dataset(self) -> str:
        """The dataset by the name that `eval datasets` lists; one of mixed problems by what was asked for."""
        names = {each.facts["dataset"] for each in self.public.problems}
        return names.pop() if len(names) == 1 else str(self.setting("dataset"))

    @property
    def paper_dataset(self) -> str:
        """The dataset as the paper calls it; empty: the paper has no numbers of it, or of another part of it."""
        is_papers_part = self.setting("split") != "train" and all(
            each.facts["language"] == _PYTHON for each in self.public.problems
        )
        return PAPER_DATASETS.get(self.dataset, self.held_against) if is_papers_part else ""

    @property
    def scored(self) -> Evaluation:
        """What its scores are of: the private tests of each problem that has any, but on Venus as in the paper."""
        if self.private is None or self.dataset == VENUS:
            return self.public
        if len(self.private.problems) == len(self.public.problems):
            return self.private
        return merged(self.public, self.private)

    @property
    def model(self) -> str:
        """The model as the run was told to use it."""
        return str(self.setting("model"))

    @property
    def paper_model(self) -> str:
        """The model as the paper calls it; empty: the paper does not have it."""
        return paper_model(self.model)

    @property
    def is_trained(self) -> bool:
        """Whether the model is one of ours, trained for this."""
        return self.paper_model in TRAINED or "afterburner" in self.model.lower()

    @property
    def kind(self) -> str:
        """What the model is told: a key of `KINDS`; empty: something else."""
        try:
            told = parse_telling(str(self.setting("tell", "paper")))
        except UsageError:
            return ""
        return next((name for name, parts in KINDS.items() if parts == told), "")

    @property
    def start(self) -> str:
        """What the loop begins with: `none`, `slow`, `fast`, `original`."""
        return str(self.setting("start", "none"))

    @property
    def is_papers_loop(self) -> bool:
        """Whether it is the paper's main experiment: its prompt, its selection, and no code to begin with."""
        return (self.kind, self.start, self.setting("selection", "paper"), self.setting("objective", "integral")) == (
            "paper",
            "none",
            "paper",
            "integral",
        )

    @property
    def iterations(self) -> int:
        """N; the curves have N + 1 points."""
        return self.public.iterations

    def setting(self, name: str, default: Any = "") -> Any:
        """A setting as `run.json` has it."""
        return self.public.settings.get(name, default)


def load_runs(folders: Sequence[Path], held_against: str = "") -> tuple[list[Run], list[str]]:
    """Read the runs.

    Args:
        folders: of the runs.
        held_against: see `Run`.

    Returns:
        The runs, and a sentence for each folder of which no problem could be evaluated.

    Raises:
        EvaluationError: there is no run in a folder, no problem of it is done, or none of any could be evaluated.
    """
    found, left_out = [], []
    for folder in folders:
        public = load_evaluation(folder, PUBLIC)
        if public.problems or public.gains:
            found.append((folder, public))
        else:
            left_out.append(f"No problem of {folder} could be evaluated: {_reasons(public)}")
    if not found:
        raise EvaluationError(" ".join(left_out))
    labels = _labels(found)
    runs = [
        Run(label, public, _private_side(folder), _unfinished(public, folder), held_against)
        for label, (folder, public) in zip(labels, found, strict=True)
    ]
    return runs, left_out


def _reasons(evaluation: Evaluation) -> str:
    """Why problems could not be evaluated: the first reasons, and how many more there are."""
    reasons = sorted({reason.rstrip(".") for _, reason in evaluation.not_evaluated})
    more = [f"and {len(reasons) - _SHOWN} more reasons"] if len(reasons) > _SHOWN else []
    return f"{'; '.join([*reasons[:_SHOWN], *more])}."


def _labels(found: Sequence[tuple[Path, Evaluation]]) -> list[str]:
    """The names of the runs; where several have one, with their folders; where these are alike too, with numbers."""
    names = Counter(public.name for _, public in found)
    labels = [
        public.name if names[public.name] == 1 else f"{public.name} ({folder.resolve().name})"
        for folder, public in found
    ]
    seen: Counter[str] = Counter()
    for place, label in enumerate(labels):
        seen[label] += 1
        if seen[label] > 1:
            labels[place] = f"{label} ({seen[label]})"
    return labels


def _private_side(folder: Path) -> Evaluation | None:
    try:
        found = load_evaluation(folder, PRIVATE)
    except EvaluationError:  # no problem has private tests
        return None
    return found if found.problems else None


def _unfinished(public: Evaluation, folder: Path) -> str:
    """Why there may be more to come; empty: the evaluation says that it is complete."""
    if (folder / COMPLETE).exists():
        return ""
    seen = [each.id for each in public.problems] + [name for name, _ in public.not_evaluated]
    seen += [row["problem_id"] for row in public.gains]
    done = {file_key(each) for each in seen}
    begun = {each.name.rpartition(".")[0] for each in (folder / "begun").glob("*")} - done
    asked = len(public.settings.get("only") or ())
    of = f" of {asked}" if len(done) < asked else ""
    are_done = f"{len(done)}{of} problems are done" if of or len(done) != 1 else "1 problem is done"
    more = f", {len(begun)} more {'is' if len(begun) == 1 else 'are'} begun" if begun else ""
    others = "" if of or begun else "; the evaluation has not come to its end, so others may be missing"
    return f"{are_done}{more}{others}. Go on with: afterburner-agent eval resume {folder}"
