// attack: uses most of the memory that it may, gives it back, and takes it again
// must: accepted
// prints: 3
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
int main() {
    int rounds = 0;
    for (; rounds < 3; rounds++) {
        const size_t bytes = 200UL << 20;
        void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) break;
        memset(memory, 1, bytes);
        munmap(memory, bytes);
    }
    printf("%d\n", rounds);
}
