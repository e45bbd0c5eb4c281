"""Random numbers are the same for every call, whoever imports the library that draws them, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from calling import blob, outcome_of, shown, verdict_on

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from calling import Call

DRAWING = {
    "random": "import random\ndef f(n):\n    return [random.random() for _ in range(n)]",
    "numpy, of which a part is imported": "import numpy.random\ndef f(n):\n    return numpy.random.rand(n).tolist()",
    "numpy, which loads it at the first call": "import numpy as np\ndef f(n):\n    return np.random.rand(n).tolist()",
    "numpy, which the call imports": "def f(n):\n    import numpy\n    return numpy.random.permutation(n).tolist()",
    "a part of numpy, which the call imports": (
        "def f(n):\n    from numpy.random import randint\n    return randint(1000, size=n).tolist()"
    ),
    "pandas, which the call imports": (
        "def f(n):\n    import pandas\n    return pandas.Series(range(n)).sample(n).tolist()"
    ),
}


@pytest.mark.parametrize("source", DRAWING.values(), ids=DRAWING)
def test_every_call_draws_the_same_numbers(call: Call, source: str) -> None:
    first, second, third = shown(call(source, blob(9), blob(9), blob(9), passes=2))
    assert first == second == third
    assert outcome_of(call, source, blob(9)) == outcome_of(call, source, blob(9))


def test_a_rewrite_may_import_numpy_elsewhere(call: Call) -> None:
    early = "import numpy\ndef f(n):\n    return numpy.random.rand(n).tolist()"
    late = "def f(n):\n    import numpy\n    return numpy.random.rand(n).tolist()"
    assert verdict_on(call, early, late, blob(3)) == (Verdict.ACCEPTED, "")
    assert verdict_on(call, late, early, blob(3)) == (Verdict.ACCEPTED, "")


def test_a_module_that_is_seeded_looks_as_its_loader_made_it(call: Call) -> None:
    source = "def f():\n    import numpy.random\n    return sorted(vars(numpy.random.__spec__.loader))"
    assert shown(call(source, blob())) == ["returned ['name', 'path']"]
