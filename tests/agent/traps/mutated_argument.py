"""The caller sees that the queue was emptied: working on a copy changes that."""


def drain(queue, limit):
    handled = []
    while queue and len(handled) < limit:
        job = queue.pop(0)
        if job % 3 == 0 and job > 3:
            queue.append(job // 3)
        handled.append(job)
    return handled


if __name__ == "__main__":
    jobs = list(range(30000))
    print(len(drain(jobs, 9000)), len(jobs))
    few = [9, 27, 4]
    print(drain(few, 10), few)
