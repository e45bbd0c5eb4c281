// attack: computes in children so short-lived that few are ever seen, and that nobody waits for
// must: time_limit
// needs: control groups
// limits: cpu_time_s=1.2 wall_time_s=20
#include <csignal>
#include <cstdio>
#include <ctime>
#include <unistd.h>
static long used_ns() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}
int main() {
    signal(SIGCHLD, SIG_IGN);
    for (int child = 0; child < 5000; child++) {
        int ends[2];
        char none;
        if (pipe(ends) != 0) return 1;
        if (fork() == 0) {
            while (used_ns() < 300000) {}
            _exit(0);
        }
        close(ends[1]);
        read(ends[0], &none, 1); /* it has ended */
        close(ends[0]);
    }
    puts("CANARY: 1.5 s");
}
