import random


def simulate(tasks, workers):
    """Tasks are (arrival, priority, name, cost). Returns the start times, in the order of starting."""
    pending = []
    upcoming = sorted(tasks)
    started = []
    clock = 0
    while upcoming or pending:
        while upcoming and upcoming[0][0] <= clock:
            pending.append(upcoming.pop(0))
        pending.sort(key=lambda t: (t[1], t[0], t[2]))
        for _ in range(workers):
            if not pending:
                break
            arrival, priority, name, cost = pending.pop(0)
            started.append((name, clock, clock - arrival))
        clock += 1
    return started


def workload(rng, n):
    return [(rng.randrange(n // 6), rng.randrange(5), "t%05d" % i, rng.randrange(1, 9)) for i in range(n)]


if __name__ == "__main__":
    rng = random.Random(3)
    for n in (1500, 2000, 2500):
        started = simulate(workload(rng, n), workers=3)
        print(len(started), started[-1], max(w for _, _, w in started))
