"""Chooses the answers that are trained on, and counts why the others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.training.collecting.card import ColdStartCard
from afterburner.training.collecting.judging import first_of_its_kind, is_strict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.training.collecting.folder import Collection, StoredAnswer
    from afterburner.training.collecting.settings import Filters
    from afterburner.training.data.examples import Example
    from afterburner.training.data.reading import DataSet

Found = dict[str, Any]  # a line of judged.jsonl
_CUT_OFF, _NOT_STRICT = "the limit of tokens cut the answer off", "the answer is not in the strict format"
_LOST = "the sandbox could not judge the code"
_SAME, _NO_GAIN = "the answer is the same as an earlier one to its prompt", "the code is not better than the original"


def choose_answers(
    collection: Collection, data: DataSet, filters: Filters, lost: Mapping[tuple[int, int], str]
) -> tuple[list[Example], ColdStartCard]:
    """The rows to train on, in the order of the prompts, and what was counted.

    Args:
        collection: answers and judgements.
        data: the prompts.
        filters: which answers that pass are kept.
        lost: answers that could not be judged.
    """
    card = ColdStartCard(prompts=len(data.rows))
    return list(_kept(collection, data, filters, lost, card)), card


def _kept(
    collection: Collection,
    data: DataSet,
    filters: Filters,
    lost: Mapping[tuple[int, int], str],
    card: ColdStartCard,
) -> Iterator[Example]:
    judged = collection.judged()
    for answer, first in first_of_its_kind(collection.answers()).items():
        card.asked += 1
        if not is_strict(answer):
            card.left_out[_CUT_OFF if answer.finish_reason == "length" else _NOT_STRICT] += 1
            continue
        card.strict += 1
        place = first.row, first.sample
        found = judged.get(place)
        reason = _refusal(found) if found is not None else _LOST
        if found is None or reason:
            card.left_out[reason] += 1
            if place in lost:
                card.lost.append(lost[place])
            continue
        card.passing += 1
        if answer is not first:
            card.left_out[_SAME] += 1
        elif filters.improving and not _is_better(found, filters):
            card.left_out[_NO_GAIN] += 1
        else:
            row = _example(answer, data, found)
            card.add(row)
            yield row


def _refusal(found: Found) -> str:
    """Why the judge refuses an answer; empty: it passes."""
    if found["cheat"]:
        return "the code cheats"
    return "" if found["after_passed"] else f"the code fails: {found['verdict'].replace('_', ' ')}"


def _is_better(found: Found, filters: Filters) -> bool:
    return not found["before_passed"] or found["before_figure"] >= filters.least_gap * found["after_figure"]


def _example(answer: StoredAnswer, data: DataSet, found: Found) -> Example:
    row = data.rows[answer.row]
    kept = ("problem_id", "objective", "difficulty", "language", "original", "prompt")
    return {
        **{name: row[name] for name in kept},
        "completion": [{"role": "assistant", "content": answer.text}],
        "model": answer.model,
        "gap": found["before_figure"] / found["after_figure"] if found["before_passed"] else None,
    }
