// attack: makes and enters namespaces, with every call that does, to be root in one of them
// must: accepted
// prints: DENIED
#include <cstdio>
#include <fcntl.h>
#include <initializer_list>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void check(const char *what, long result) {
    if (result == 0 && getppid() != 1) _exit(0); // a child of a clone that succeeded
    if (result >= 0) printf("CANARY %s\n", what), fflush(stdout);
}
int main() {
    const unsigned long kinds[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                                   CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWTIME, CLONE_NEWUSER | CLONE_NEWNS};
    const char *names[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"};
    for (unsigned long kind : kinds) {
        if (unshare((int)kind) == 0) puts("CANARY unshare"), fflush(stdout);
        if (kind != CLONE_NEWTIME) check("clone", syscall(SYS_clone, kind | 17, 0, 0, 0, 0));
        clone_args arguments = {};
        arguments.flags = kind;
        arguments.exit_signal = 17;
        check("clone3", syscall(SYS_clone3, &arguments, sizeof arguments));
    }
    for (const char *process : {"1", "self"}) {
        for (const char *name : names) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%s/ns/%s", process, name);
            int place = open(path, O_RDONLY);
            if (place >= 0 && setns(place, 0) == 0) printf("CANARY setns %s\n", path);
        }
    }
    int meter = (int)syscall(SYS_pidfd_open, 1, 0);
    if (meter >= 0 && setns(meter, CLONE_NEWNS) == 0) puts("CANARY setns by pidfd");
    puts("DENIED");
}
