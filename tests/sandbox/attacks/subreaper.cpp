// attack: adopts its orphans in place of the meter, in many groups and sessions, and leaves some stopped for the next case
// must: accepted
// prints: DENIED
// cases: 3
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <sys/prctl.h>
#include <unistd.h>
int main() {
    int seen = 0;
    DIR *folder = opendir("/proc");
    while (dirent *entry = readdir(folder)) seen += atoi(entry->d_name) > 1 && atoi(entry->d_name) != getpid();
    puts(seen > 0 ? "CANARY" : "DENIED");
    fflush(stdout);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (int child = 0; child < 20; child++) {
        if (fork() != 0) continue;
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        child % 2 == 0 ? setsid() : setpgid(0, 0);
        if (fork() == 0) raise(SIGSTOP);
        if (child % 3 == 0) raise(SIGSTOP);
        for (;;) pause();
    }
    usleep(50000);
}
