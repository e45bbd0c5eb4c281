def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    loads = [courier.minutes for courier in couriers]
    taken = {}
    while queue:
        order = queue.popleft()
        place = loads.index(min(loads))  # the first of those with the least work
        courier = couriers[place]
        minutes = order.minutes
        if order.fragile:
            minutes += rng.randint(0, minutes // 5)
        courier.take(order, minutes)
        loads[place] = courier.minutes
        taken[order.number] = courier.name
    return taken
