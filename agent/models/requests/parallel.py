"""Does several things at once that mostly wait."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, TypeVar

from afterburner.sandbox import CancelledError, CancelToken
from afterburner.sandbox.waiting import next_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_REQUESTS_AT_ONCE = 8
_ENDING_S = 0.5  # a job that is told to stop has its connections closed and ends at once
Result = TypeVar("Result")


def at_once(jobs: Sequence[Callable[[], Result]], most: int = MOST_REQUESTS_AT_ONCE) -> list[Result]:
    """Do the jobs, so many at once, and give their results in the order of the jobs.

    The threads die with the program: an interrupt does not wait for a server. What a job raises is raised here, that of
    the first job if there are several, once all have ended.
    """
    waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    ended: queue.SimpleQueue[tuple[int, Result | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        while (number := waiting.get()) is not None:
            try:
                ended.put((number, jobs[number](), None))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                ended.put((number, None, error))

    workers = min(most, len(jobs))
    for number in [*range(len(jobs)), *([None] * workers)]:
        waiting.put(number)
    for _ in range(workers):
        threading.Thread(target=work, daemon=True, name="asking").start()
    outcomes = sorted((next_of(ended) for _ in jobs), key=lambda outcome: outcome[0])
    for _, _, error in outcomes:
        if error is not None:
            raise error
    return [result for _, result, _ in outcomes]  # type: ignore[misc]  # without an error there is a result


def within(seconds: float, job: Callable[[CancelToken], Result], cancel: CancelToken) -> Result:
    """Do a job in a thread of its own, and give up after so many seconds or when it is cancelled.

    The job gets a token of its own, by which it is told to stop once nobody waits for it any more.

    Raises:
        TimeoutError: it took longer.
        CancelledError: it was cancelled.
    """
    cancel.raise_if_cancelled()
    ended: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()
    stop = CancelToken()

    def work() -> None:
        try:
            ended.put((job(stop), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            ended.put((None, error))

    thread = threading.Thread(target=work, daemon=True, name="request")
    thread.start()
    try:
        with cancel.on_cancel(lambda: ended.put((None, CancelledError()))):
            result, error = next_of(ended, seconds)
    except queue.Empty:
        raise TimeoutError from None
    finally:
        stop.cancel()
        thread.join(_ENDING_S)
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # without an error there is a result
