import heapq


def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    heap = [(courier.minutes, place) for place, courier in enumerate(couriers)]
    heapq.heapify(heap)
    replace, draw = heapq.heapreplace, rng.randint
    taken = {}
    for order in queue:
        place = heap[0][1]
        courier = couriers[place]
        minutes = order.minutes
        if order.fragile:
            minutes += draw(0, minutes // 5)
        courier.take(order, minutes)
        replace(heap, (courier.minutes, place))
        taken[order.number] = courier.name
    return taken
