// attack: makes calls the way that programs of 32 bits do, whose numbers the filter does not mean: that kills at once
// must: runtime_error
// prints: before
#include <cstdio>
#include <csignal>
int main() {
    puts("before");
    fflush(stdout);
#ifdef __x86_64__
    long result;
    asm volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory"); // getpid
    printf("CANARY %ld\n", result);
#else
    raise(SIGSYS);
#endif
}
