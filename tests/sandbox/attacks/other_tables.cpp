// attack: makes denied calls by the numbers of another table: x32, where the same calls have other numbers
// must: accepted
// prints: DENIED
#include <cstdio>
#include <initializer_list>
#include <unistd.h>
int main() {
#ifdef __x86_64__
    for (long call : {101, 165, 272, 298, 321, 425, 521, 539, 540, 545, 29, 68, 64}) // ptrace, mount, unshare …
        if (syscall(0x40000000L + call, 0, 0, 0, 0, 0) != -1) printf("CANARY %ld\n", call);
    if (syscall(0x40000000L + 39) != -1) puts("CANARY even getpid");
#endif
    puts("DENIED");
}
