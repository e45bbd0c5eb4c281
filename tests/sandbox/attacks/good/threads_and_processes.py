# attack: uses pools of threads and processes, pipes between them, and shared memory
# must: accepted
# prints: 285 285 81 True
import multiprocessing
import subprocess
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import shared_memory


def square(number):
    return number * number


if __name__ == "__main__":
    with ThreadPoolExecutor(4) as pool:
        threads = sum(pool.map(square, range(10)))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        processes = sum(pool.map(square, range(10)))
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    block.buf[0] = 81
    again = shared_memory.SharedMemory(block.name)
    seen = again.buf[0]
    again.close()
    block.close()
    block.unlink()
    shell = subprocess.run("seq 1 3 | wc -l", shell=True, capture_output=True, text=True).stdout.strip()
    print(threads, processes, seen, shell == "3")
