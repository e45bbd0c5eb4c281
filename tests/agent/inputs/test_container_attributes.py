"""Attributes of containers of the user's own classes, and attributes that are None."""

from __future__ import annotations

from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import places
from afterburner.agent.inputs.inside.container_attributes import instead_of_none, with_other_attributes


class Patch(list):  # type: ignore[type-arg]  # as users write it
    """A list with attributes of its own, of which the constructor takes most."""

    def __init__(self, source: str = "", stamp: str | None = None, is_binary: bool = False, width: int = 1) -> None:
        super().__init__()
        self.source_file = source
        self.stamp = stamp
        self.is_binary = is_binary
        self.width = width
        self.half = width / 2


class Note:
    """A plain object."""

    def __init__(self, text: str, author: str | None = None) -> None:
        self.text, self.author = text, author


def patches(**given: Any) -> list[Patch]:
    patch = Patch("a.txt", **given)
    patch += [1, 2]
    root: Any = [[patch], {}]
    (place,) = (each for each in places(root) if each.value is patch)
    return [changed[0][0] for _, changed in with_other_attributes(root, place)]


def test_attributes_that_the_constructor_takes_are_varied_and_all_else_stays() -> None:
    made = patches(stamp="2026", width=8)
    assert {each.is_binary for each in made} == {False, True}
    assert len({each.stamp for each in made}) > 5
    assert "" in {each.stamp for each in made}
    assert all(type(each) is Patch and each == [1, 2] and each.source_file == "a.txt" for each in made)
    assert {(each.width, each.half) for each in made} == {(8, 4.0)}, "half hangs on the width"


def test_an_attribute_that_is_none_gets_what_the_constructor_names_beside_it() -> None:
    assert "" in {each.stamp for each in patches()}
    root: Any = [[Note("one")], {}]
    (author,) = (each for each in places(root) if each.site == ("0", ".author"))
    assert instead_of_none(author) == [""]
    assert instead_of_none(author._replace(holder=[None], key=0, site=("0", "*"))) == []


class Uncopied(Patch):
    def __copy__(self) -> Any:
        raise TypeError("a patch is not copied")


class Plainly(Patch):
    def __copy__(self) -> Any:
        return list(self)


@pytest.mark.parametrize("kind", [Uncopied, Plainly])
def test_a_class_that_makes_no_such_copy_has_no_such_input_and_stops_nothing(kind: type[Patch]) -> None:
    patch = kind("a.txt", "2026")
    root: Any = [[patch], {}]
    (place,) = (each for each in places(root) if each.value is patch)
    assert list(with_other_attributes(root, place)) == []
