// attack: takes memory in a child that is gone at once, and that nobody waits for
// must: memory_limit
// limits: memory_kib=65536
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>
int main() {
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        mmap(nullptr, 100 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        _exit(0);
    }
    usleep(300000);
    puts("done");
}
