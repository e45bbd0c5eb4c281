// attack: uses up numbers of processes by starting one after another, for the next case to have none
// must: accepted
// prints: DENIED
// cases: 2
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
int main() {
    int failed = 0;
    for (int i = 0; i < 3000; i++) {
        pid_t child = vfork();
        if (child == 0) _exit(0);
        if (child < 0) failed++;
        waitpid(child, nullptr, 0);
    }
    puts(failed > 0 ? "CANARY" : "DENIED");
}
