// attack: a chain of processes, each of which starts the next and ends, to be somewhere else whenever it is killed
// must: accepted
// prints: DENIED
// cases: 2
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <unistd.h>
int main() {
    int seen = 0;
    DIR *folder = opendir("/proc");
    while (dirent *entry = readdir(folder)) seen += atoi(entry->d_name) > 1 && atoi(entry->d_name) != getpid();
    puts(seen > 0 ? "CANARY" : "DENIED");
    fflush(stdout);
    if (fork() == 0)
        for (;;)
            if (fork() != 0) _exit(0);
    usleep(50000);
}
