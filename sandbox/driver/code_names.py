"""Which names of its module some code uses."""

from __future__ import annotations

from types import CodeType
from typing import Any, Iterator, Set, Tuple


def global_names(code: CodeType) -> Iterator[Tuple[str, bool]]:
    """The names that some code uses of its module, also in functions and classes inside it; whether it writes them."""
    waiting = [code]
    while waiting:
        current = waiting.pop()
        waiting.extend(constant for constant in current.co_consts if isinstance(constant, CodeType))
        for instruction in _instructions(current):
            if instruction.opname.endswith("_GLOBAL"):
                yield str(instruction.argval), instruction.opname != "LOAD_GLOBAL"
            elif instruction.opname == "LOAD_NAME":  # in the body of a class
                yield str(instruction.argval), False


def bound_names(code: CodeType) -> Set[str]:
    """The names that statements at the top of a module bind."""
    return {str(each.argval) for each in _instructions(code) if each.opname == "STORE_NAME"}


def stored_attributes(code: CodeType) -> Set[str]:
    """The names of attributes that some code assigns, of whatever object."""
    return {str(each.argval) for each in _instructions(code) if each.opname == "STORE_ATTR"}


def _instructions(code: CodeType) -> Iterator[Any]:
    import dis  # noqa: PLC0415 - the driver imports this module in every run and seldom comes here

    return dis.get_instructions(code)
