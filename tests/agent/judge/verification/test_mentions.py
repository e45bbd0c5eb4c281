"""What a rewrite alone mentions is found in its text, and inputs are made of it."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from afterburner.agent.inputs.inside.call_parts import root_of
from afterburner.agent.inputs.inside.contract import Contract
from afterburner.agent.inputs.inside.input_cases import CASES, Knowledge
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds
from afterburner.agent.inputs.inside.mutated_calls import constants_in
from afterburner.agent.inputs.inside.optional_arguments import signature_of
from afterburner.agent.inputs.inside.related_values import MATCHED
from afterburner.agent.inputs.inside.returned_objects import RealObjects
from afterburner.agent.inputs.inside.small_pieces import Base
from afterburner.agent.judge.verification.mentions import Mentions, new_mentions
from afterburner.sandbox.driver.call_blobs import Call
from afterburner.sandbox.driver.user_module import resolve

ORIGINAL = "import re\nA = re.compile('a+')\ndef f(text):\n    return [int(each) for each in text.split(',')]\n"


@pytest.mark.parametrize(
    ("other", "mentions"),
    [
        (ORIGINAL, Mentions()),
        ("def f(text):\n    return text.split(',')", Mentions()),
        ("def f(text):\n    return text if text.isdigit() and text != '7' else 3", Mentions((3, "7"), ("isdigit",))),
        (
            "import re\ndef f(text):\n    return re.split('a+', re.sub(r'\\s+', ',', text))",
            Mentions((r"\s+",), (), (r"\s+",)),
        ),
        ("from re import search\ndef f(text):\n    return search('[ab]', text)", Mentions(("[ab]",), (), ("[ab]",))),
        (
            "import re\ndef f(text):\n    return re.match('ok', text, flags=re.I | re.M) or text.match('no')",
            Mentions(("ok", "no"), ("I",), ("(?i)ok",)),
        ),
        ("def f(text:\n", Mentions()),
    ],
)
def test_only_what_is_new_is_found(other: str, mentions: Mentions) -> None:
    assert new_mentions(ORIGINAL, other) == mentions
    assert bool(new_mentions(ORIGINAL, other)) == (mentions != Mentions())


def test_inputs_take_the_literals_patterns_and_characters_in_turns() -> None:
    module = ModuleType("amounts")
    exec(ORIGINAL, vars(module))  # noqa: S102 - the text above
    target, root = resolve(module, "f"), root_of(["1,2"], {})
    constants = constants_in({"literals": ["7"], "names": ["isdigit"], "patterns": ["(?i)ok"]})
    contract, kinds = Contract(target.function, ORIGINAL, [root]), ElementKinds([root])
    knowledge = Knowledge(signature_of(target, ORIGINAL), set(), constants, "f", contract, kinds, RealObjects([root]))
    made = list(CASES["mentioned"](Base(root, Call(tuple(root[0]), {}, {}, ())), knowledge))
    texts = [each.root[0][0] for each in made]
    assert {each.kind for each in made[:2]} == {"constant of the code", MATCHED}
    assert {"7", "\xb2"} < set(texts)
    assert {re.sub("(?i)ok", "+", text) for text in texts} > {"+", "1,2+", "+1,2"}
    assert len({text[-2:] for text in texts if re.fullmatch("(?i)(1,2)?ok", text)}) > 1  # more than one case
