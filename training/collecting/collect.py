"""Collects cold-start data: asks a model, has its answers judged, and writes those that pass as a data set."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.model_session import open_model_session
from afterburner.agent.models.requests.parallel import MOST_REQUESTS_AT_ONCE
from afterburner.agent.options import Caps
from afterburner.evals.datasets.built import is_built
from afterburner.evals.files import cannot_write, claimed
from afterburner.sandbox import open_sandbox
from afterburner.training.collecting.asking import ask, open_answerer
from afterburner.training.collecting.choosing import choose_answers
from afterburner.training.collecting.folder import Collection
from afterburner.training.collecting.judging import judge_answers
from afterburner.training.data.reading import DataSet, read_data
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import write_data
from afterburner.training.errors import TrainingError
from afterburner.training.reward.benchmark import benchmark_sha256, judge_of_benchmark
from afterburner.training.reward.settings import RewardSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.training.collecting.card import ColdStartCard
    from afterburner.training.collecting.settings import CollectSettings, Filters


@dataclass(frozen=True, slots=True)
class Resources:
    """What a collection may use; unlike its settings, this may change when it is resumed.

    Attributes:
        sandbox: as `open_sandbox` takes it.
        jobs: prompts under way at a time.
        caps: the most that the model may use, over all calls that work on the folder.
        timeout_s: of one answer, seconds.
    """

    sandbox: str = "auto"
    jobs: int = MOST_REQUESTS_AT_ONCE
    caps: Caps = field(default_factory=Caps)
    timeout_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What came of a call.

    Attributes:
        card: what was counted.
        missing: answers that were wanted and did not come; the next call asks for them.
        cap: the cap that ended the asking; empty: none did.
    """

    card: ColdStartCard
    missing: int
    cap: str


def collect(
    source: Path,
    out: Path,
    settings: CollectSettings,
    filters: Filters,
    *,
    benchmark: Path | None = None,
    reward: RewardSettings | None = None,
    resources: Resources | None = None,
    on_progress: Callable[[str, int, int], object] = lambda *_: None,
) -> Collected:
    """Ask for what the folder lacks, judge what is not judged, and write what passes.

    Args:
        source: a data set of prompts, which `train data grpo` made.
        out: the folder. A call with the same settings goes on with it, and asks for no answer that is stored there.
        settings: what is asked for.
        filters: which answers are kept.
        benchmark: with the tests of the problems; None: the one that the data set was built from.
        reward: how answers are measured; None: as the paper does.
        resources: what may be used.
        on_progress: is told what is done (`asked`, `judged`), how much of it, and how much there is to do.

    Raises:
        TrainingError: the data set or the benchmark cannot be used, the folder is of another collection, or no answer
            passes.
        ProposerError: the model cannot be asked; what it answered until then is stored.
        AfterburnerError: another of the tree in `afterburner.sandbox.errors`.
    """
    resources, reward, data = resources or Resources(), reward or RewardSettings(), _prompts(source)
    tests = _benchmark(source, data, benchmark)
    open_answerer(settings)  # a model that cannot be asked leaves no folder behind
    with open_sandbox(resources.sandbox) as sandbox:
        judge = replace(judge_of_benchmark(tests, sandbox), settings=reward)
        judge.check_knows(row["problem_id"] for row in data.rows)
        _make(out)
        with claimed(out):
            collection = Collection.open(out, {**asdict(settings), "reward": asdict(reward), **_hashes(data, tests)})
            cap = _ask(collection, data, settings, resources, on_progress)
            lost = judge_answers(
                collection, data, judge, seed=settings.seed, on_progress=lambda *done: on_progress("judged", *done)
            )
            rows, card = choose_answers(collection, data, filters, lost)
            if not rows:
                raise TrainingError(_nothing(card, cap))
            document = {
                "source": str(source),
                "benchmark": str(tests),
                "settings": {**asdict(settings), **asdict(filters)},
                **card.to_document(),
            }
            write_data(rows, document, card.to_markdown(), out)
    return Collected(card, settings.samples * len(data.rows) - card.asked, cap)


def _ask(
    collection: Collection,
    data: DataSet,
    settings: CollectSettings,
    resources: Resources,
    on_progress: Callable[[str, int, int], object],
) -> str:
    """Ask within the caps; gives the cap that ended it, if one did."""
    with open_model_session(resources.caps, collection.session_id, collection.requests) as opened:
        session = replace(opened, only_whole_answers=True)
        answerer = open_answerer(settings, timeout_s=resources.timeout_s, model_session=session)
        ask(
            collection,
            data,
            settings,
            answerer,
            session,
            jobs=resources.jobs,
            on_progress=lambda *done: on_progress("asked", *done),
        )
        used = session.usage()
    return used.cap if used is not None else ""


def _prompts(source: Path) -> DataSet:
    data = read_data(source)
    if data.recipe is not Recipe.GRPO:
        raise TrainingError(
            f"{source} is a data set for {data.recipe}, whose prompts have answers already. Give one that train data "
            "grpo made."
        )
    return data


def _benchmark(source: Path, data: DataSet, given: Path | None) -> Path:
    place = given or Path(data.card["source"])
    if not is_built(place):
        why = "is no benchmark of eval build" if given else f"is not there any more, and {source} was built from it"
        raise TrainingError(f"{place} {why}. Its tests judge the answers: give it by --benchmark DIR.")
    return place


def _hashes(data: DataSet, benchmark: Path) -> dict[str, str]:
    return {"data_set": data.card["sha256"], "benchmark": benchmark_sha256(benchmark)}


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error


def _nothing(card: ColdStartCard, cap: str) -> str:
    if not card.asked:
        return f"The model gave no answer{f': {cap}' if cap else ''}. Raise the cap, or give a longer recording."
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in card.left_out.most_common())
    return (
        f"None of {card.asked:,} answers is kept. {reasons[:1].upper()}{reasons[1:]}. Give a model that keeps to the "
        "format and solves the problems, or more --samples in another --out."
    )
