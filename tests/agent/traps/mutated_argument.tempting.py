from collections import deque


def drain(queue, limit):
    work = deque(queue)
    handled = []
    while work and len(handled) < limit:
        job = work.popleft()
        if job % 3 == 0 and job > 3:
            work.append(job // 3)
        handled.append(job)
    return handled
