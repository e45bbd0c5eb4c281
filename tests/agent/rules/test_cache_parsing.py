"""cache-parsing: each text is parsed once; errors and results stay."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.cache_parsing import CacheParsing

LOG = """
from datetime import datetime
import ipaddress as ip

def f(lines, form):
    days = []
    for line in lines:
        # the day
        days.append(datetime.strptime(line, form).isoformat())
        days.append(str(ip.ip_address(line)))
    return days
"""


def test_parsers_in_loops_get_a_cache(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(CacheParsing(), LOG, "f")
    assert "_strptime = functools.lru_cache(maxsize=65536, typed=True)(datetime.strptime)\n" in after
    assert "days.append(str(_ip_address(line)))" in after
    calls = [
        (["1.2.3.4"], "%d.%m.%H.%M"),
        (["1.2.3.4"] * 3, "%d.%m.%H.%M"),
        (["x"], "%d"),
        ([5], "%d"),
        ([], 7),
        (3, ""),
    ]
    agree(LOG, after, "f", calls)


@pytest.mark.parametrize(
    "source",
    [
        "import ipaddress\ndef f(x):\n    return ipaddress.ip_address(x)\n",
        "def f(xs):\n    import time\n    return [time.strptime(x, '%d') for x in xs]\n",
        "import time\ndef f(xs):\n    return [time.strftime(x, '%d') for x in xs]\n",
        "import time\ntime = 3\ndef f(xs):\n    return [time.strptime(x, '%d') for x in xs]\n",
        "import time\ndef f(xs, a=time.strptime('1', '%d')):\n    return [a]\n",
    ],
)
def test_other_calls_stay(apply: Callable[..., Any], source: str) -> None:
    assert apply(CacheParsing(), source, "f") is None
