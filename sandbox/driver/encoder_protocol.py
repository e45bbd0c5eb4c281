"""What the handlers of single types ask of the encoder, for the type checker alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, Protocol

if TYPE_CHECKING:
    from .encoding_parts import Items


class Encoder(Protocol):
    """Writes one value; `value_encoder.Encoder` says what each of these does."""

    module_name: Optional[str]
    open_floats: bool
    looks_into_functions: bool

    def write(self, text: str) -> None:
        """Write text of ours."""

    def parts(self, tag: str, *children: object) -> Iterator[Any]:
        """`[tag, child, …]` for a few children."""

    def items(self, tag: str, values: Iterable[Any]) -> Iterator[Any]:
        """`[tag, item, …]` for a user's container."""

    def wrap(self, values: List[Any]) -> Items:
        """A list of ours as a child."""

    def sorted_elements(self, elements: Iterable[Any]) -> Iterator[Any]:
        """The elements of a set, in an order of their own."""

    def opaque_value(self, name: str) -> Iterator[Any]:
        """A value that cannot be looked into."""

    def text_leaf(self, tag: str, text: str) -> Iterator[Any]:
        """A text as a leaf, however long."""

    def bytes_leaf(self, tag: str, data: bytes) -> Iterator[Any]:
        """Bytes as a leaf, however many."""

    def floats(self, code: str, data: bytes) -> Any:
        """The numbers of an array, for a comparison with a tolerance."""

    def digest(self, data: bytes) -> str:
        """What stands for data that is too large to be written."""

    def is_known(self, value: object) -> bool:
        """Number a mutable object that is met for the first time; write the number of another."""

    def is_found(self, function: Any) -> Optional[bool]:
        """Whether the function stands under the name that it bears; None if nothing stands there."""
