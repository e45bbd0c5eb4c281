"""The packages, pinned by version and by the hash of their source distribution, and the functions of the dataset.

Pinned are functions that take at least a ten-thousandth of the time that the package's tests spend in its files, and
that the tests call with at least two inputs that can be replayed. Special methods, such as `__init__`, are left out:
nearly all of them are a line or two. Within a file, those stand first that take the most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the package index.

    Attributes:
        name: in the index.
        version: the pinned one.
        sha256: of its source distribution, a .tar.gz.
        place: the folder that the rules are run on, from the top of the distribution.
        by_file: the functions of the dataset, by the files that they are in.
        top: how many functions the rules work through.
        seconds: for all of them; more than it takes on a quiet machine.
    """

    name: str
    version: str
    sha256: str
    place: str
    by_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    top: int = 8
    seconds: float = 600.0

    @property
    def folder(self) -> str:
        """The package and its version, as source distributions are named."""
        return f"{self.name}-{self.version}"

    @property
    def functions(self) -> tuple[tuple[str, str], ...]:
        """The functions of the dataset: each one's file and name."""
        return tuple((file, name) for file, names in self.by_file.items() for name in names)


def function_id(folder: str, file: str, function: str) -> str:
    """`inflection-0.5.1/inflection/__init__.py::underscore`: a function in all of the dataset."""
    return f"{folder}/{file}::{function}"


PACKAGES = (
    Package(
        "inflection",
        "0.5.1",
        "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417",
        "inflection",
        {
            "inflection/__init__.py": (
                "pluralize",
                "singularize",
                "parameterize",
                "underscore",
                "humanize",
                "ordinal",
                "camelize",
                "titleize",
                "transliterate",
                "ordinalize",
                "tableize",
            ),
        },
    ),
    Package(
        "pygorithm",
        "1.0.4",
        "214021a5abdb6bc7c5ed5a60ce4dd56d60ed9cdeb30a91cf7cf35332bb79d3a0",
        "pygorithm",
        {
            "pygorithm/geometry/polygon2.py": (
                "Polygon2.project_onto_axis",
                "Polygon2.find_intersection",
                "Polygon2._create_link",
                "Polygon2.from_regular",
                "Polygon2.contains_point",
            ),
            "pygorithm/data_structures/graph.py": (
                "WeightedUndirectedGraph.gridify",
                "WeightedUndirectedGraph.add_edge",
                "WeightedUndirectedGraph.get_edge_weight",
                "WeightedUndirectedGraph.remove_edge",
            ),
            "pygorithm/geometry/axisall.py": ("AxisAlignedLine.find_intersection",),
            "pygorithm/binary/base10.py": ("to_base2",),
            "pygorithm/geometry/vector2.py": ("Vector2.dot", "Vector2.magnitude_squared", "Vector2.cross"),
            "pygorithm/binary/base2.py": ("__create_group_list", "to_ascii", "to_base10", "to_base16"),
            "pygorithm/geometry/line2.py": ("Line2.find_intersection",),
            "pygorithm/data_structures/stack.py": ("InfixToPostfix._is_operand",),
            "pygorithm/fibonacci/goldenratio.py": ("fib", "sequence"),
            "pygorithm/binary/base16.py": ("to_base2",),
            "pygorithm/geometry/rect2.py": ("Rect2.contains_point", "Rect2.find_intersection"),
        },
        top=16,
        seconds=1200.0,
    ),
    Package(
        "algorithms",
        "1.0.1",
        "e2d140bc315eb1e106f2ab8c1f2ec595e01cb1ef0aa1506d20f93f75cf9fd8b1",
        "algorithms",
        {
            "algorithms/math/diffie_hellman_key_exchange.py": ("_find_order",),
            "algorithms/dynamic_programming/fib.py": ("fib_recursive",),
            "algorithms/data_structures/b_tree.py": (
                "BTree._insert_to_nonfull_node",
                "BTree._remove_key",
                "BTree.find",
                "BTree._repair_tree",
                "BTree._split_child",
                "BTree.insert_key",
                "BTree._merge",
                "BTree._rotate_right",
                "BTree.remove_key",
                "BTree._find_largest_and_delete_in_left_subtree",
                "BTree._remove_from_nonleaf_node",
            ),
            "algorithms/string/min_distance.py": ("_lcs",),
            "algorithms/math/num_perfect_squares.py": ("num_perfect_squares",),
            "algorithms/bit_manipulation/find_missing_number.py": ("find_missing_number", "find_missing_number2"),
            "algorithms/math/polynomial.py": (
                "Monomial._rationalize_if_possible",
                "Polynomial.all_monomials",
                "Monomial.clone",
            ),
            "algorithms/math/factorial.py": ("factorial",),
            "algorithms/backtracking/find_words.py": ("_backtrack", "find_words"),
            "algorithms/array/n_sum.py": ("n_sum",),
            "algorithms/math/chinese_remainder_theorem.py": ("solve_chinese_remainder",),
            "algorithms/dynamic_programming/int_divide.py": ("int_divide",),
            "algorithms/dynamic_programming/hosoya_triangle.py": ("hosoya",),
        },
        top=24,
        seconds=1500.0,
    ),
)
