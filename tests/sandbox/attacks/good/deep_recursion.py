# attack: recurses a hundred thousand levels deep, on a thread with a stack of its own size
# must: accepted
# prints: 100000
import sys
import threading


def depth(level):
    return level if level == 100_000 else depth(level + 1)


sys.setrecursionlimit(200_000)
threading.stack_size(64 << 20)
thread = threading.Thread(target=lambda: print(depth(0)))
thread.start()
thread.join()
