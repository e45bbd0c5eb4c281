"""Tells what calls break of the contract, as a rule that every real call keeps to."""

from __future__ import annotations

import base64
import itertools
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, NamedTuple, Optional

from ....sandbox.driver.call_blobs import Call, load_call
from .assumptions import Assumed
from .call_parts import root_of
from .contract_words import as_expression, in_words

if TYPE_CHECKING:
    from types import ModuleType

    from .call_trial import Trier
    from .contract import Breach, Contract
    from .harness_types import Request, Write


MOST_BREACHES = 200  # of one call that are looked at


class Rule(NamedTuple):
    """A rule as `--assume` takes it, and in words. `by_hint`: a type hint says so itself."""

    expression: str
    words: str
    by_hint: bool


class Rules:
    """Puts what a call breaks of the contract into a rule that all calls of `real` keep to."""

    def __init__(self, module: ModuleType, function: Callable[..., Any], contract: Contract, real: List[Call]) -> None:
        self._module, self._function, self._contract, self._real = module, function, contract, real

    def tell_broken(self, request: Request, trier: Trier, write: Write) -> None:
        """Write for each call of `given` the first rule that it breaks, if any; those of type hints come first."""
        for number, encoded in enumerate(request["given"]):
            blob = base64.b64decode(encoded)
            trier.cost(blob, request["most_s"])
            is_refused = trier.error is not None and issubclass(trier.error, re.error)
            rule = self._broken_by(load_call(blob), is_refused=is_refused)
            if rule is not None:
                write({"kind": "assumption", **rule._asdict(), "held": len(self._real), "number": number})

    def _broken_by(self, call: Call, *, is_refused: bool) -> Optional[Rule]:
        """The first rule that it breaks; `is_refused`: a text of the call is no valid regular expression."""
        broken = list(itertools.islice(self._breaches(call, is_refused=is_refused), MOST_BREACHES))
        for breach in sorted(broken, key=lambda each: not each.by_hint):
            for guarded in (False, True):
                expression = as_expression(breach, vars(self._module), guarded=guarded)
                stated = Assumed(self._module, self._function, [expression])
                if self._holds(stated) and not stated.hold(call.args, call.kwargs):
                    return Rule(expression, in_words(breach), breach.by_hint)
        return None

    def _holds(self, stated: Assumed) -> bool:
        return all(stated.hold(call.args, call.kwargs) for call in self._real)

    def _breaches(self, call: Call, *, is_refused: bool) -> Iterator[Breach]:
        root = root_of(call.args, call.kwargs)
        yield from self._contract.breaches(root)
        if is_refused:
            yield from self._contract.invalid_patterns(root)
