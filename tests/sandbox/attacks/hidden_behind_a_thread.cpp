// attack: takes memory in a process whose first thread has ended, for which the kernel shows none, and that nobody waits for
// must: memory_limit
// limits: memory_kib=65536
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *take(void *) {
    usleep(20000);
    volatile char *kept = static_cast<char *>(malloc(100 << 20));
    for (long at = 0; at < 100 << 20; at += 4096) kept[at] = 1;
    usleep(100000);
    _exit(kept[0]);
}
int main() {
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        pthread_t thread;
        pthread_create(&thread, nullptr, take, nullptr);
        syscall(SYS_exit, 0);
    }
    sleep(1);
    puts("CANARY");
}
