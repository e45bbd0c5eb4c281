"""Adds numbers up in threads, in an event loop and in processes that share a queue and a lock."""

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor


def square_sum(limit: int) -> int:
    """The sum of the squares below a limit."""
    return sum(number * number for number in range(limit))


def put(queue: "multiprocessing.Queue[int]", lock: object, number: int) -> None:
    """Sends a number to the parent."""
    with lock:  # type: ignore[attr-defined]
        queue.put(number * number)


async def later(number: int) -> int:
    """A number, after others had their turn."""
    await asyncio.sleep(0.001 * (5 - number))
    return number


async def gather() -> list[int]:
    """All numbers in order, whenever they come."""
    return await asyncio.gather(*(later(number) for number in range(5)))


if __name__ == "__main__":
    with ThreadPoolExecutor(8) as threads:
        print("threads:", sum(threads.map(square_sum, range(50))))
    with ProcessPoolExecutor(2) as processes:
        print("processes:", sum(processes.map(square_sum, range(50))))
    queue: "multiprocessing.Queue[int]" = multiprocessing.Queue()
    lock = multiprocessing.Lock()
    workers = [multiprocessing.Process(target=put, args=(queue, lock, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    print("queue:", sorted(queue.get() for _ in workers))
    for worker in workers:
        worker.join()
    print("event loop:", asyncio.run(gather()))
