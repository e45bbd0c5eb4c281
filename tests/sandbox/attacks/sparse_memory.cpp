// attack: reserves a terabyte of which it uses one page in each gigabyte: that is allowed, and costs what was used
// must: accepted
// prints: 1024
#include <cstdio>
#include <sys/mman.h>
int main() {
    char *memory = (char *)mmap(nullptr, 1UL << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    long sum = 0;
    for (long at = 0; at < 1L << 40; at += 1L << 30) sum += memory[at] = 1;
    printf("%ld\n", sum);
}
