import heapq


def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    heap = [(courier.minutes, courier) for courier in couriers]
    heapq.heapify(heap)
    taken = {}
    while queue:
        order = queue.popleft()
        courier = heap[0][1]
        minutes = order.minutes
        if order.fragile:
            minutes += rng.randint(0, minutes // 5)
        courier.take(order, minutes)
        heapq.heapreplace(heap, (courier.minutes, courier))
        taken[order.number] = courier.name
    return taken
