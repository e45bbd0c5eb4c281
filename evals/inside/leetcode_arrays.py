"""Linked lists, trees and graphs from LeetCode's arrays, and back: what Mercury's records know as the module `lctk`.

It stands in for that package, which sandboxes do not have, with its names and its ways: trailing nodes whose value is
0 are left out of an array, as the package does.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .values import ListNode, TreeNode


def as_module() -> ModuleType:
    """All of it as the module `lctk`."""
    module = ModuleType("lctk")
    module.__dict__.update({each.__name__: each for each in _NAMES})
    return module


class GraphNode:
    """A node of a graph."""

    def __init__(self, x: object) -> None:
        self.val = x
        self.neighbors: list[GraphNode] = []


def linkedList(arr: list[object], cyclePos: int = -1) -> ListNode | None:  # noqa: N802, N803 - the package's names
    """A linked list of the values; with `cyclePos`, its end leads back to the node at that place."""
    nodes = [ListNode(each) for each in arr]
    for place in range(1, len(nodes)):
        nodes[place - 1].next = nodes[place]
    if cyclePos >= len(nodes):
        return None
    if cyclePos >= 0:
        nodes[-1].next = nodes[cyclePos]
    return nodes[0] if nodes else None


def linkedList2Arr(head: ListNode | None) -> list[object]:  # noqa: N802 - the package's name
    """The values of a linked list; where it leads back, each once."""
    found: list[object] = []
    met: set[int] = set()
    while head is not None and id(head) not in met:
        met.add(id(head))
        found.append(head.val)
        head = head.next
    return found


def binaryTree(arr: list[object]) -> TreeNode | None:  # noqa: N802 - the package's name
    """The tree of an array by levels, in which None is a child that is not there."""
    if not arr:
        return None
    root = TreeNode(arr[0])
    rest = iter(arr[1:])
    waiting = [root]
    for node in waiting:
        for side in ("left", "right"):
            value = next(rest, None)
            if value is not None:
                setattr(node, side, TreeNode(value))
                waiting.append(getattr(node, side))
    return root


def binaryTree2Arr(root: TreeNode | None) -> list[object]:  # noqa: N802 - the package's name
    """The array by levels of a tree."""
    found: list[object] = []
    level = [root]
    for node in level:
        found.append(None if node is None else node.val)
        if node is not None:
            level += [node.left, node.right]
    while found and not found[-1]:
        found.pop()
    return found


def graph(inDict: dict[str, Any]) -> GraphNode | None:  # noqa: N803 - the package's name
    """The first node of a graph that is written as dictionaries with `$id`, `val`, `neighbors` and `$ref`."""
    return _node(inDict, {}) if inDict else None


def graph2Dict(root: GraphNode | None) -> dict[str, Any]:  # noqa: N802 - the package's name
    """Write a graph as those dictionaries."""
    return _told(root, {}) if root else {}


def _node(told: dict[str, Any], known: dict[object, GraphNode]) -> GraphNode:
    if "$ref" in told:
        return known[told["$ref"]]
    node = known[told["$id"]] = GraphNode(told["val"])
    for each in told["neighbors"]:
        other = _node(each, known)
        if other not in node.neighbors:
            node.neighbors.append(other)
        if node not in other.neighbors:
            other.neighbors.append(node)
    return node


def _told(node: GraphNode, known: dict[int, str]) -> dict[str, Any]:
    if id(node) in known:
        return {"$ref": known[id(node)]}
    name = known[id(node)] = str(len(known) + 1)
    return {"$id": name, "neighbors": [_told(each, known) for each in node.neighbors], "val": node.val}


_NAMES = (ListNode, TreeNode, GraphNode, linkedList, linkedList2Arr, binaryTree, binaryTree2Arr, graph, graph2Dict)
