"""Rewrites that return 4 for 3 and try to have 3 written down: by what the driver uses, or by the driver itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from calling import blob, outcome_of, verdict_on

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from calling import Call

HONEST = "def f(): return 3\n"

# What the driver might use of Python's own: it has references and builtins of its own.
REPLACED = {
    "builtins": """
        import builtins
        for name in "repr str sorted list tuple map iter next type id isinstance issubclass len".split():
            setattr(builtins, name, lambda *_: 3)
    """,
    "json": "import json; json.dumps = json.encoder.encode_basestring_ascii = lambda *_: '3'",
    "struct": "import struct; struct.pack = struct.Struct.pack = lambda *_: b'3'",
    "itertools": "import itertools; itertools.islice = itertools.chain = lambda *_: iter([3])",
    "hashes": "import _blake2, hashlib; _blake2.blake2b = hashlib.blake2b = None",
    "os": "import os; os.pread = os.write = os.ftruncate = lambda *_: b''",
    "classes": "import enum, types, collections; enum.Enum = types.FunctionType = collections.deque = int",
    "garbage": "import gc; gc.collect = gc.freeze = lambda *_: 0",
    "modules": """
        import sys
        for name in "value_encoder", "type_plans":
            sys.modules["_afterburner_inside.sandbox.driver." + name] = sys.modules[name] = sys
    """,
    "streams": "import sys; sys.stdout.flush = sys.stderr.flush = None",
}


@pytest.mark.parametrize("attack", REPLACED.values(), ids=REPLACED.keys())
def test_what_the_driver_uses_cannot_be_replaced(call: Call, attack: str) -> None:
    indented = "".join(f"        {line}\n" for line in attack.replace("\n        ", "\n").strip().splitlines())
    source = f"def f():\n    try:\n{indented}    except (TypeError, AttributeError): pass\n    return 4\n"
    assert verdict_on(call, HONEST, source, blob()) == (Verdict.WRONG_ANSWER, "call 1 returned 4 instead of 3")


# Nothing hides the driver from code in its own process; that it was changed is seen.
REACHED = {
    "a class, through the garbage collector": """
        import gc
        def f():
            gc.unfreeze()
            for found in gc.get_objects():
                if type(found) is type and found.__name__ == "Encoder":
                    found.encode = lambda self, value: EXPECTED
            return 4
    """,
    "a function, through the frames": """
        import sys
        def f():
            names = sys._getframe(1).f_globals
            names["_opaque"] = names["value_encoder"].digest_of = lambda *_: EXPECTED
            return 4
    """,
    "the code of a function": """
        import sys
        def f():
            encoder = sys._getframe(1).f_globals["value_encoder"].Encoder
            encoder._write_all.__code__ = (lambda self, values, depth: self._text.append("3")).__code__
            return 4
    """,
    "a table": """
        import sys
        def f():
            tables = sys._getframe(1).f_globals["builtin_values"]
            tables.EXACT[list] = lambda encoder, value: iter(())
            return 4
    """,
    "itself, while it is drained": """
        import sys
        def late():
            frame = sys._getframe(1)
            while "value_encoder" not in frame.f_globals:
                frame = frame.f_back
            frame.f_globals["_opaque"] = None
            yield 1
        def f(): return late()
    """,
}


@pytest.mark.parametrize("attack", REACHED.values(), ids=REACHED.keys())
def test_that_the_driver_was_changed_is_seen(call: Call, attack: str) -> None:
    (expected,) = outcome_of(call, HONEST, blob())
    report = call(attack.replace("EXPECTED", repr(expected)), blob(), expected=(expected,))
    assert report.verdict is Verdict.WRONG_ANSWER
    assert "the driver that makes the calls was changed" in report.detail


FATAL = {
    "its builtins": "sys._getframe(1).f_builtins['len'] = lambda _: 3",
    "how it writes": "sys._getframe(1).f_globals['value_encoder'].Encoder.parts = None",
    "how it answers": "sys._getframe(1).f_locals['self']._output.send = lambda *_: None",
}


@pytest.mark.parametrize("attack", FATAL.values(), ids=FATAL.keys())
def test_a_driver_that_was_broken_accepts_nothing(call: Call, attack: str) -> None:
    verdict, _ = verdict_on(call, HONEST, f"import sys\ndef f():\n    {attack}\n    return 4\n", blob())
    assert verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}


BOX = """
class Box:
    def __init__(self, n): self.n = n
    def double(self): return 2 * self.n
def helper(): return 1
"""
LYING = {
    "class": (
        "return Box(1)",
        "class Other: n = 1\n    Other.__qualname__ = 'Box'; other = Other(); other.n = 1; return other",
    ),
    "class itself": ("return Box", "class Other: pass\n    Other.__qualname__ = 'Box'; return Other"),
    "function": ("return helper", "def g(): return 2\n    g.__qualname__ = 'helper'; return g"),
    "attribute": ("return Box(1)", "box = Box(1); vars(box)[2] = 5; return box"),
    "order": ("return {'a': 1, 'b': 2}", "return {'b': 2, 'a': 1}"),
    "subclass": ("return [1]", "return type('list', (list,), {'__module__': 'builtins'})([1])"),
    "equal": ("return 1", "return type('int', (int,), {'__eq__': lambda *_: True})(1)"),
    "proxy": (
        "return [1]",
        "class P:\n        __class__ = property(lambda _: list)\n        __len__ = lambda _: 1\n    return P()",
    ),
}


@pytest.mark.parametrize(("honest", "lying"), LYING.values(), ids=LYING.keys())
def test_values_that_lie_about_themselves_are_told_apart(call: Call, honest: str, lying: str) -> None:
    whole = BOX + "def f():\n    {}\n"
    assert verdict_on(call, whole.format(honest), whole.format(lying), blob())[0] is Verdict.WRONG_ANSWER


def test_a_memo_that_lies_about_its_class_is_emptied_all_the_same(call: Call) -> None:
    source = """
        import json, types
        class Memo:
            __module__, __qualname__ = "json", "JSONDecoder"
            __class__ = property(lambda _: types.FunctionType)
            __globals__ = None
            def __init__(self): self.known = []
        memo = Memo()
        def f():
            memo.known.append(1)
            return len(memo.known)
    """
    report = call(source, blob(), blob(), passes=2, cold=True)
    assert report.verdict is Verdict.ACCEPTED, report.detail
    assert [b'["returned",1]' in outcome.encoded for outcome in report.outcomes] == [True, True]
