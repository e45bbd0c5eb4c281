"""Documentation, annotations and decorators of a function are its author's: no rewrite changes them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.splice import RewriteError, parse_answer_code, splice
from afterburner.agent.types import Rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

HEAD = """\
@cached(
    size=10,  # enough
)
# not for long
def f(
    xs: list[int],  # what
    k: int = 0x3,
) -> "int":  # never negative
    # of old
    '''Count.

    >>> f([1, 2])
    2
    '''
"""
SOURCE = f"import os\n\n\n{HEAD}    n = 0\n    for x in xs:\n        n += 1\n    return n\n\n\nprint(f)\n"
BODY = "    return len(xs)\n"


@pytest.mark.parametrize(
    "answer",
    [
        "@cached(size=10)\ndef f(xs, k=3):\n    return len(xs)\n",
        "@cached(size=10)\ndef f(xs, k=3): return len(xs)\n",
        "@cached(size=10)\ndef f(xs, k=3):\n    'Fast.'; return len(xs)\n",
        '@cached(size = 10)\ndef f(xs: Sequence[float], k: \'K\' = 3) -> None:\n    """Fast."""\n    return len(xs)\n',
        "@cached(size=10)\n\ndef f(xs,\n      k=3):  # quick\n    ('Fast. '\n     'Faster.')\n    return len(xs)\n",
        "@cached(size=10)\ndef f(xs, k=3):\n  return len(xs)\n",
    ],
)
def test_header_and_docstring_stay_byte_for_byte(make_target: MakeTarget, answer: str) -> None:
    target = make_target(SOURCE, "f")
    wanted = f"import os\n\n\n{HEAD}{BODY}\n\nprint(f)\n"
    assert splice(target, parse_answer_code(answer, target)) == wanted
    assert splice(target, Rewrite(answer)) == wanted


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            "def f(x): return x + 0\n",
            'def f(x: int) -> int:\n    """Fast."""\n    return x\n',
            "def f(x):\n    return x\n",
        ),
        ("def f(x): return x + 0\n", "def f(x: int) -> int: return x\n", "def f(x): return x\n"),
        ("def f(x): 'Old.'; return x + 0\n", "def f(x): return x\n", "def f(x):\n    'Old.'\n    return x\n"),
        (
            "def f(x):\n    'Old.'; return x + 0\n",
            "def f(x):\n    'New.'\n    return x\n",
            "def f(x):\n    'Old.'\n    return x\n",
        ),
        ("def f(x):\n    'Old.'\n    return None\n", "def f(x):\n    'New.'\n", "def f(x):\n    'Old.'\n"),
        ("def f(x):\n    return None\n", "def f(x):\n    'New.'\n", "def f(x):\n    'New.'\n"),
        (
            "async def  f( x:int ):\n\treturn x + 0\n",
            "async def f(x):\n    return x\n",
            "async def  f( x:int ):\n\treturn x\n",
        ),
        (
            "def f(x, /, *a: int, y=1, **k: 'K'): return 0 + 0\n",
            "def f(x, /, *a, y=1, **k): return 0\n",
            "def f(x, /, *a: int, y=1, **k: 'K'): return 0\n",
        ),
        (
            "@a\n@b (1)\ndef f(x): return x + 0\n",
            "@a\n@new\n@b(1)\ndef f(x): return x\n",
            "@a\n@new\n@b (1)\ndef f(x): return x\n",
        ),
    ],
)
def test_what_the_answer_adds_to_the_header_goes(make_target: MakeTarget, old: str, new: str, wanted: str) -> None:
    assert splice(make_target(old, "f"), Rewrite(new)) == wanted


def test_a_method_keeps_its_interface_in_its_class(make_target: MakeTarget) -> None:
    source = (
        "class A:\n    def g(self,\n          x: int,\n          ) -> int:\n"
        '        """Add.\n\n        >>> A().g(1)\n        1\n        """\n        return x + 0\n'
    )
    target = make_target(source, "A.g")
    answer = 'class A:\n    def g(self, x):\n        """Fast."""\n        return x\n'
    assert splice(target, parse_answer_code(answer, target)) == source.replace("x + 0", "x")


def test_another_signature_is_refused_as_before(make_target: MakeTarget) -> None:
    for answer in (
        "def f(xs, k=4): return 1",
        "def f(xs): return 1",
        "async def f(xs, k=3): return 1",
        "def g(xs, k=3): 1",
    ):
        with pytest.raises(RewriteError):
            splice(make_target(SOURCE, "f"), Rewrite("@cached(size=10)\n" + answer + "\n"))


def test_a_name_that_only_annotations_use_is_not_imported(make_target: MakeTarget) -> None:
    source = (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop import Item\n\n\n"
        "def f(x: 'Item') -> Item:\n    return x + 0\n"
    )
    target = make_target(source, "f")
    answer = "from shop import Item\nfrom typing import Any\n\n\ndef f(x: Any) -> Item:\n    return x\n"
    rewrite = parse_answer_code(answer, target)
    assert rewrite.imports == ()
    assert splice(target, rewrite) == source.replace("x + 0", "x")
    ast.parse(rewrite.function)
