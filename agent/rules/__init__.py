"""The embedded rules: source-to-source rewrites that need no model, no key and no network."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.rules.rule import Rule

# Module and class, in the order in which they are proposed: what usually gains most comes first.
_RULES = (
    ("cache_recursion", "CacheRecursion"),
    ("nested_scans", "NestedScans"),
    ("pair_combinations", "PairCombinations"),
    ("grown_lists", "GrownLists"),
    ("sliding_window", "SlidingWindow"),
    ("set_membership", "SetMembership"),
    ("hoisted_set", "HoistedSet"),
    ("companion_set", "CompanionSet"),
    ("key_lookup", "KeyLookup"),
    ("join_strings", "JoinStrings"),
    ("deque_queue", "DequeQueue"),
    ("count_index", "CountIndex"),
    ("remember_results", "RememberResults"),
    ("list_rebuild", "ListRebuild"),
    ("sort_in_loop", "SortInLoop"),
    ("string_scan", "StringScan"),
    ("stream_lists", "StreamLists"),
    ("stream_loops", "StreamLoops"),
    ("trial_division", "TrialDivision"),
    ("sorted_extremes", "SortedExtremes"),
    ("matrix_product", "MatrixProduct"),
    ("counted_loops", "CountedLoops"),
    ("hoist_invariants", "HoistInvariants"),
    ("accumulate_builtin", "AccumulateBuiltin"),
    ("accumulate_comprehension", "AccumulateComprehension"),
    ("dict_items", "DictItems"),
    ("hoist_attributes", "HoistAttributes"),
    ("compile_patterns", "CompilePatterns"),
    ("cache_parsing", "CacheParsing"),
    ("ruff_fixes", "RuffFixes"),
)

# Rules that bring code into a form that other rules understand: what they make of a function is where a rule is tried
# that does not fit the function itself.
PREPARING = frozenset(("counted-loops",))


def all_rules() -> tuple[Rule, ...]:
    """Give one of each rule. They are imported here, since they need libcst, which takes a moment to load."""
    return tuple(
        getattr(importlib.import_module(f"{__name__}.patterns.{module_name}"), class_name)()
        for module_name, class_name in _RULES
    )
