"""Characters that matter for what the code names are tried first."""

from __future__ import annotations

import re
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.inside.call_parts import root_of
from afterburner.agent.inputs.inside.contract import Contract
from afterburner.agent.inputs.inside.edge_values import edges
from afterburner.agent.inputs.inside.input_cases import CASES, Knowledge
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds
from afterburner.agent.inputs.inside.mutated_calls import constants_of
from afterburner.agent.inputs.inside.optional_arguments import signature_of
from afterburner.agent.inputs.inside.returned_objects import RealObjects
from afterburner.agent.inputs.inside.small_pieces import Base
from afterburner.agent.inputs.inside.special_characters import special_characters
from afterburner.sandbox.driver.call_blobs import Call
from afterburner.sandbox.driver.user_module import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

SUPERSCRIPT, CIRCLED, SHARP_S, LONG_S, KELVIN, NEXT_LINE = "\xb2", "\u2460", "\xdf", "\u017f", "\u212a", "\x85"


@pytest.mark.parametrize(
    ("names", "patterns", "some"),
    [
        (["isdigit"], [], {SUPERSCRIPT, CIRCLED}),
        (["len", "int"], [], {SUPERSCRIPT, CIRCLED}),
        (["casefold"], [], {SHARP_S, LONG_S, KELVIN}),
        (["IGNORECASE"], [], {LONG_S, KELVIN}),
        (["splitlines"], [], {NEXT_LINE}),
        ([], [r"a\d"], {SUPERSCRIPT}),
        ([], [re.compile(r"\S+")], {NEXT_LINE}),
        ([], [re.compile("k", re.IGNORECASE)], {KELVIN}),
        ([], ["(?im)k"], {KELVIN}),
        (["len"], [r"\\d", rb"\d", 3, None], set()),
    ],
)
def test_what_the_code_names_has_its_characters(names: list[str], patterns: Iterable[object], some: set[str]) -> None:
    made = special_characters(names, patterns)
    assert some <= set(made)
    assert bool(made) == bool(some)


def test_they_take_turns_and_those_for_what_is_named_first_come_first() -> None:
    digits, blanks = special_characters(["isdigit"], []), special_characters(["strip"], [])
    assert special_characters(["strip", "isdigit"], [])[:4] == [blanks[0], digits[0], blanks[1], digits[1]]
    assert special_characters(["isdigit", "strip", "int"], [])[:2] == [digits[0], blanks[0]]


def test_texts_with_them_are_the_first_of_their_kind() -> None:
    first = [text for kind, text in edges("ab", [SUPERSCRIPT, CIRCLED]) if kind == "unicode"]
    assert first[:4] == [SUPERSCRIPT, f"a{SUPERSCRIPT}b{SUPERSCRIPT}", CIRCLED, f"a{CIRCLED}b{CIRCLED}"]
    assert first[4:] == [text for kind, text in edges("ab") if kind == "unicode"]


def test_inputs_of_a_function_start_with_those_that_its_code_asks_for() -> None:
    module = ModuleType("amounts")
    source = "def numbers(texts):\n    return [int(text) for text in texts if text.isdigit()]\n"
    exec(source, vars(module))  # noqa: S102 - the text above
    target, root = resolve(module, "numbers"), root_of([["42", "7 kg"]], {})
    constants = constants_of(module, target.function, ())
    contract, kinds = Contract(target.function, source, [root]), ElementKinds([root])
    knowledge = Knowledge(
        signature_of(target, source), set(), constants, "numbers", contract, kinds, RealObjects([root])
    )
    made = CASES["edge"](Base(root, Call(tuple(root[0]), {}, {}, ())), knowledge)
    first = next(each for each in made if each.kind == "unicode")
    assert first.root == [[[SUPERSCRIPT, "7 kg"]], {}]
