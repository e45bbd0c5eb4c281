# attack: fills shared memory that it then unmaps, page by page: it stays, and no process's resident set shows it
# must: memory_limit
# limits: memory_kib=65536 file_kib=8192
# needs: control groups
import mmap

STEP = 1 << 20
memory = mmap.mmap(-1, 400 * STEP)
for start in range(0, len(memory), STEP):
    memory[start : start + STEP] = b"x" * STEP
    memory.madvise(mmap.MADV_DONTNEED, start, STEP)
print("CANARY", sum(memory[start] for start in range(0, len(memory), STEP)))
