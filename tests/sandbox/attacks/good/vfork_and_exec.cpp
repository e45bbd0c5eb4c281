// attack: replaces itself by a shell, by way of vfork, spawn and exec
// must: accepted
// prints: spawned replaced
#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main() {
    const char *arguments[] = {"sh", "-c", "printf 'spawned '", nullptr};
    pid_t child;
    if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, (char *const *)arguments, environ) != 0) return 1;
    waitpid(child, nullptr, 0);
    if (vfork() == 0) _exit(0);
    wait(nullptr);
    execl("/bin/sh", "sh", "-c", "echo replaced", nullptr);
}
