"""Runs independent looks at the user's code at the same time: nothing is being measured closely then."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from afterburner.sandbox.waiting import result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.sandbox.sandbox import Sandbox

T = TypeVar("T")


def side_by_side(sandbox: Sandbox, tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Do the tasks, as many at once as there are CPUs, and return their results in order.

    If one fails, those that run come to their end before its error is raised; an interrupt ends them at once.
    """
    if len(tasks) < 2:
        return [task() for task in tasks]
    pool = ThreadPoolExecutor(max_workers=min(len(tasks), len(sandbox.cpus)))
    try:
        return [result_of(future) for future in [pool.submit(task) for task in tasks]]
    except Exception:
        raise
    except BaseException:
        sandbox.stop()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
