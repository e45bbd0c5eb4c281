"""How values of numpy and pandas are shown, and where two of them first differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from afterburner.sandbox.contrasts import contrast
from afterburner.sandbox.driver import value_encoder
from afterburner.sandbox.rendering import render

if TYPE_CHECKING:
    from afterburner.sandbox.trees import Json


def tree(value: object) -> Json:
    encoded: Json = json.loads(value_encoder.encode(value))
    return encoded


# Where pyarrow is installed, pandas holds texts in it unless it is told otherwise.
PYTHON_TEXT, ARROW_TEXT = (pd.StringDtype(storage, na_value=np.nan) for storage in ("python", "pyarrow"))
FRAME = pd.DataFrame({"a": [1, None], "b": ["x", "y"]})
SHOWN: list[tuple[Any, str]] = [
    (FRAME, "DataFrame({'a': [1.0, nan], 'b': ['x', 'y']})"),
    (pd.Series([1, 2], index=["p", "q"], name="s"), "Series([1, 2], index=['p', 'q'], name='s')"),
    (
        pd.DataFrame({"a": range(500)}),
        "DataFrame({'a': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, \N{HORIZONTAL ELLIPSIS} 488 more]})",
    ),
    (pd.Series(["x", None], dtype=PYTHON_TEXT), "Series(['x', nan])"),
    (pd.Series(["x", None], dtype=ARROW_TEXT), "Series(['x', None])"),
    (pd.DataFrame({"k": pd.Categorical(["a"])}), "DataFrame({'k': \N{HORIZONTAL ELLIPSIS}})"),
    (pd.DataFrame({"a": []}), "DataFrame({'a': []})"),
    (pd.Timestamp("2024-02-29"), "Timestamp('2024-02-29 00:00:00')"),
    (np.arange(4)[::2], "array([0, 2], shape=(2,), dtype='<i8', with gaps)"),
    (np.broadcast_to(np.arange(2), 2), "array([0, 1], shape=(2,), dtype='<i8', read-only)"),
]


@pytest.mark.parametrize(("value", "shown"), SHOWN, ids=range(len(SHOWN)))
def test_frames_are_shown_as_one_would_write_them(value: object, shown: str) -> None:
    assert render(tree(value)) == shown


PLACES: list[tuple[Any, Any, str]] = [
    (np.array([1, 2, 3]), np.array([1, 5, 3]), "(first difference at [1])"),
    (np.zeros((3, 4)), np.eye(3, 4), "(first difference at [0, 0])"),
    (np.array(1), np.array(2), "(first difference at [()])"),
    (np.zeros((300, 2)), np.concatenate([np.zeros((99, 2)), np.ones((201, 2))]), "where [99, 0] is 1.0 instead of 0.0"),
    (FRAME, FRAME.assign(b=["x", "z"]), "(first difference at ['b'].iloc[1])"),
    (pd.Series([True, False]), pd.Series([True, True]), "(first difference at .iloc[1])"),
    (
        pd.DataFrame({"a": [1]}),
        pd.DataFrame({"a": [1, 2]}),
        "DataFrame({'a': [1, 2]}) instead of DataFrame({'a': [1]})",
    ),
    (
        [{"total": n} for n in range(40)],
        [{"total": n if n != 25 else 3} for n in range(40)],
        "where [25]['total'] is 3 instead of 25",
    ),
]


@pytest.mark.parametrize(("expected", "actual", "told"), PLACES, ids=range(len(PLACES)))
def test_the_place_of_the_first_difference_is_told(expected: object, actual: object, told: str) -> None:
    assert told in contrast(tree(expected), tree(actual))


def test_other_element_types_or_shapes_are_no_place() -> None:
    assert "first difference" not in contrast(tree(np.zeros(4)), tree(np.zeros((2, 2))))
    assert "first difference" not in contrast(tree(np.array([1])), tree(np.array([1], "int8")))


class Calendar:
    def __init__(self, **attributes: object) -> None:
        vars(self).update(attributes)


def test_attributes_that_only_one_of_two_objects_has_are_named() -> None:
    plain, indexed = tree(Calendar(booked=[1])), tree(Calendar(booked=[1], _index={1: 0}))
    assert contrast(plain, indexed).endswith(", which has the new attribute `_index`")
    assert contrast(indexed, plain).endswith(", which lacks the attribute `_index`")
    assert contrast(["list", 3, plain], ["list", 3, indexed]).endswith("where [1] has the new attribute `_index`")
    assert "attribute" not in contrast(plain, tree(Calendar(booked=[2])))


class Rows(list):  # type: ignore[type-arg]  # as users write it
    """A container with attributes."""

    def __init__(self, rows: list[int], **attributes: object) -> None:
        super().__init__(rows)
        vars(self).update(attributes)


class LetterError(ValueError):
    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


def test_an_attribute_of_an_exception_is_named_where_it_alone_differs() -> None:
    one, other = tree(LetterError("bad", 3)), tree(LetterError("bad", 2))
    assert contrast(one, other) == "LetterError('bad'), where .position is 2 instead of 3"
    assert contrast(one, tree(LetterError("good", 2))) == "LetterError('good') instead of LetterError('bad')"
    noted = LetterError("bad", 3)
    noted.hint = "a"  # type: ignore[attr-defined]
    assert contrast(one, tree(noted)).endswith(", which has the new attribute `hint`")
    chained = LetterError("bad", 3)
    chained.__cause__ = KeyError("x")
    assert "it came from" in contrast(one, tree(chained))
    assert contrast(tree(["a", LetterError("bad", 3)]), tree(["a", LetterError("bad", 2)])).endswith(
        "where [1].position is 2 instead of 3"
    )


def test_an_attribute_of_a_container_is_named_where_it_alone_differs() -> None:
    one, other = tree(Rows([1], encoding="utf-8")), tree(Rows([1], encoding="latin-1"))
    assert contrast(one, other).endswith(", where .encoding is 'latin-1' instead of 'utf-8'")


def test_one_object_in_two_places_or_two_equal_ones_is_told_in_words() -> None:
    row = [1]
    shared, apart = tree([row, row]), tree([[1], [1]])
    other = "the same list as another that the call returned or left"
    assert contrast(shared, apart) == f"[[1], [1]], where [1] is a list of its own; in the original it is {other}"
    assert contrast(apart, shared).endswith(f"where [1] is {other}; in the original it is a list of its own")


def test_two_spellings_of_a_letter_do_not_look_alike() -> None:
    assert contrast(tree("\xe1"), tree("a\u0301")) == "'a\\u0301' instead of '\xe1'"
    mark_without_another_spelling = "\u0928\u0947"
    assert mark_without_another_spelling in contrast(tree("x"), tree(mark_without_another_spelling))
