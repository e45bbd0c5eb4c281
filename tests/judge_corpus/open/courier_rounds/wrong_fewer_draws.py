from heapq import heapify, heapreplace


def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    heap = [(courier.minutes, place) for place, courier in enumerate(couriers)]
    heapify(heap)
    taken = {}
    while queue:
        order = queue.popleft()
        _, place = heap[0]
        courier = couriers[place]
        minutes = order.minutes
        # Only orders of five minutes and more can take longer: a fifth of less rounds to nothing.
        if order.fragile and (most := minutes // 5):
            minutes += rng.randint(0, most)
        courier.take(order, minutes)
        heapreplace(heap, (courier.minutes, place))
        taken[order.number] = courier.name
    return taken
