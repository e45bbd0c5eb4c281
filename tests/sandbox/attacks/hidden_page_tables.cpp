// attack: reads a byte of every two megabytes it has reserved: the page of zeros is not its own, but the tables are
// must: memory_limit
// limits: memory_kib=65536 file_kib=8192
// needs: control groups
#include <cstdio>
#include <sys/mman.h>
int main() {
    const long step = 2L << 20, all = 200000 * step;
    void *place = mmap(nullptr, all, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(place, all, MADV_NOHUGEPAGE);
    long sum = 0;
    for (long at = 0; at < all; at += step) sum += static_cast<volatile char *>(place)[at];
    printf("CANARY %ld\n", sum);
}
