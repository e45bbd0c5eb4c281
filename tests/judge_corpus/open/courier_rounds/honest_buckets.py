from heapq import heapify, heappop, heappush


def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    # Places of the couriers with the same work, smallest first, and a heap of the different amounts of work.
    places: dict[int, list[int]] = {}
    for place, courier in enumerate(couriers):
        places.setdefault(courier.minutes, []).append(place)
    loads = list(places)
    heapify(loads)

    taken = {}
    while queue:
        order = queue.popleft()
        least = loads[0]
        idle = places[least]
        courier = couriers[idle[0]]
        minutes = order.minutes
        if order.fragile:
            minutes += rng.randint(0, minutes // 5)
        courier.take(order, minutes)
        taken[order.number] = courier.name

        place = heappop(idle)
        if not idle:
            del places[least]
            heappop(loads)
        if courier.minutes in places:
            heappush(places[courier.minutes], place)
        else:
            places[courier.minutes] = [place]
            heappush(loads, courier.minutes)
    return taken
