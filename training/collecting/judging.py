"""Has the answers of a collection judged, and stores what was found."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.answer_format import parse_answer
from afterburner.agent.types import Objective
from afterburner.training.reward.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.training.collecting.folder import Collection, StoredAnswer
    from afterburner.training.data.reading import DataSet
    from afterburner.training.reward.judge import RewardJudge
    from afterburner.training.reward.samples import Scored

_PROBLEMS_PER_CORE = 2  # in one batch: what is judged is stored after each


def is_strict(answer: StoredAnswer) -> bool:
    """Whether an answer is in the strict format."""
    try:
        parse_answer(answer.text)
    except ProposerError:
        return False
    return True


def first_of_its_kind(answers: Sequence[StoredAnswer]) -> dict[StoredAnswer, StoredAnswer]:
    """For each answer, the first one with the same text to the same prompt."""
    first: dict[tuple[int, str], StoredAnswer] = {}
    return {each: first.setdefault((each.row, each.text), each) for each in answers}


def judge_answers(
    collection: Collection,
    data: DataSet,
    judge: RewardJudge,
    *,
    seed: int,
    on_progress: Callable[[int, int], object],
) -> Mapping[tuple[int, int], str]:
    """Judge the strict answers that are not judged yet, each text once.

    Args:
        collection: with the answers; what is found is stored there.
        data: the prompts.
        judge: of all problems of the prompts.
        seed: of the orders in which codes are measured.
        on_progress: is told how many answers are judged, and how many are to be.

    Returns:
        Why an answer could not be judged, by row and sample, where that is not the model's fault. It is judged again
        by the next call.

    Raises:
        TrainingError: the folder cannot be written.
    """
    known = collection.judged()
    firsts = dict.fromkeys(first_of_its_kind(collection.answers()).values())
    waiting = [each for each in firsts if (each.row, each.sample) not in known and is_strict(each)]
    by_problem: dict[str, list[StoredAnswer]] = defaultdict(list)
    for each in waiting:
        by_problem[data.rows[each.row]["problem_id"]].append(each)
    groups = list(by_problem.values())
    size = _PROBLEMS_PER_CORE * len(judge.slots.slots)
    lost: dict[tuple[int, int], str] = {}
    done = 0
    for start in range(0, len(groups), size):
        batch = [each for group in groups[start : start + size] for each in group]
        scored = _scored(judge, [_sample(each, data) for each in batch], seed)
        found = list(zip(batch, scored, strict=True))
        lost |= {(each.row, each.sample): result.dropped for each, result in found if result.dropped}
        collection.keep_judged(
            {"row": each.row, "sample": each.sample, **result.to_row()} for each, result in found if not result.dropped
        )
        done += len(batch)
        on_progress(done, len(waiting))
    return lost


def _sample(answer: StoredAnswer, data: DataSet) -> Sample:
    row = data.rows[answer.row]
    return Sample(row["problem_id"], Objective(row["objective"]), row["original"], answer.text)


def _scored(judge: RewardJudge, samples: Sequence[Sample], seed: int) -> list[Scored]:
    """Judge a batch in a thread of its own, so that an interrupt ends the programs that are running."""
    with ThreadPoolExecutor(1, thread_name_prefix="judging") as pool:
        future = pool.submit(judge.score, samples, progress=0.0, seed=seed)
        try:
            return future.result()
        except BaseException:
            judge.cancel.cancel()
            raise
