"""What a graph needs is imported while something else goes on, and nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest


def output_of(script: str) -> list[str]:
    """What a fresh Python prints, line by line."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_import_is_done_when_the_block_ends_however_it_ends() -> None:
    script = """
        import sys
        import threading
        from afterburner.agent.loop.langgraph_import import importing_langgraph
        print("langgraph" in sys.modules)
        try:
            with importing_langgraph():
                raise ValueError("of the block")
        except ValueError as error:
            print(error, "langgraph.graph" in sys.modules, threading.active_count())
        with importing_langgraph():
            print("again")
    """
    assert output_of(script) == ["False", "of the block True 1", "again"]


@pytest.mark.slow
def test_an_interrupt_does_not_wait_for_the_import() -> None:
    script = """
        import os
        import sys
        from afterburner.agent.loop.langgraph_import import importing_langgraph
        sys.meta_path.insert(0, type("Endless", (), {"find_spec": lambda *_: __import__("time").sleep(600)}))
        try:
            with importing_langgraph():
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            print("ended", flush=True)
            os._exit(0)
    """
    assert output_of(script) == ["ended"]


@pytest.mark.slow
def test_a_broken_installation_shows_where_the_graph_is_built() -> None:
    script = """
        import sys
        from afterburner.agent.loop.langgraph_import import importing_langgraph
        sys.modules["langgraph.graph"] = None
        with importing_langgraph():
            print("goes on")
        try:
            from langgraph.graph import StateGraph
        except ImportError as error:
            print(type(error).__name__)
    """
    assert output_of(script) == ["goes on", "ModuleNotFoundError"]
