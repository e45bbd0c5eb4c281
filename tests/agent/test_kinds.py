"""Slow files of the kinds that the examples are of, by other hands: whole real runs of the rules gain on them."""

import shutil
from pathlib import Path

import pytest

from afterburner.agent import optimize
from afterburner.sandbox import Program, TestCase
from afterburner.sandbox.sandbox import Sandbox

KINDS = Path(__file__).parent / "kinds"
FUNCTIONS = {
    "cls_inventory": "Inventory.picklist",
    "csv_meter": "night_consumption",
    "dedupe_flag": "remove_duplicates",
    "join_orders": "orders_with_customers",
    "log_auth": "suspicious_addresses",
    "sched_priority": "simulate",
    "text_columns": "as_table",
}
OF_MEMORY = {"csv_meter"}


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in KINDS.glob("*.py")))
def test_the_rules_improve_it_and_it_prints_the_same(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    shutil.copy(KINDS / path.name, path)
    folder = KINDS / f"{name}_cases"
    inputs = [case.read_bytes() for case in sorted(folder.glob("*.in"))] or [b""]
    result = optimize(
        path,
        function=FUNCTIONS.get(name),
        objective="memory" if name in OF_MEMORY else "time",
        model="rules",
        iterations=1,  # one round finds the gain; what more rounds add is tested elsewhere
        cases=str(folder) if folder.exists() else None,
    )
    assert result.improved, result.summary
    assert result.held_out.passed
    assert path.read_text() == (KINDS / path.name).read_text()
    cases = [TestCase(stdin) for stdin in inputs]
    before, after = (
        sandbox.run(Program("python", source), cases).cases for source in (path.read_text(), result.best_source)
    )
    assert [case.stdout for case in after] == [case.stdout for case in before]
    assert {case.exit_code for case in (*before, *after)} == {0}
