"""Which arguments are left out of a call, as the signature allows it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from afterburner.agent.inputs.inside.optional_arguments import signature_of
from afterburner.sandbox.driver.user_module import resolve

SOURCE = "def f(items, start=0, *, stop, step=1, **options): ...\n"


def test_what_has_a_default_and_each_keyword_of_the_open_ones_may_be_left_out() -> None:
    module: Any = ModuleType("leaving")
    exec(SOURCE, vars(module))  # noqa: S102 - the text above
    signature = signature_of(resolve(module, "f"), SOURCE)
    keywords = {"stop": 9, "step": 2, "key": len, "default": None}
    left_out = [keywords.keys() - kwargs.keys() for _, kwargs in signature.with_fewer([[[1]], keywords])]
    assert left_out == [{"step"}, {"key"}, {"default"}]
