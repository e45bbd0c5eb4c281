// attack: opens sockets and files through io_uring, whose calls no filter of system calls sees
// must: accepted
// prints: DENIED
#include <cstdio>
#include <initializer_list>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    for (unsigned flags : {0U, 1U, 2U, 1U << 6}) {
        char parameters[256] = {};
        *(unsigned *)(parameters + 8) = flags;
        if (syscall(425, 8, parameters) >= 0) puts("CANARY io_uring_setup");
    }
    for (int descriptor = 0; descriptor < 64; descriptor++)
        if (syscall(426, descriptor, 0, 0, 0, nullptr, 0) >= 0) puts("CANARY io_uring_enter");
    if (syscall(427, -1, 16, nullptr, 0) >= 0) puts("CANARY io_uring_register");
    puts("DENIED");
}
