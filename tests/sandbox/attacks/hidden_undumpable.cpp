// attack: takes memory in a process that has hidden itself from others of its user
// must: memory_limit
// limits: memory_kib=65536
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>
int main() {
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
        setsid();
        volatile char *kept = static_cast<char *>(malloc(100 << 20));
        for (long at = 0; at < 100 << 20; at += 4096) kept[at] = 1;
        for (;;) pause();
    }
    sleep(3);
    puts("CANARY");
}
