// attack: sends signals to the meter in the less usual ways: to a thread, with a value, by a descriptor, as a child
// must: accepted
// prints: DENIED
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main() {
    int meter = syscall(434, 1, 0); /* pidfd_open */
    for (int number = 1; number <= 64; number++) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        info.si_code = SI_QUEUE;
        info.si_signo = number;
        syscall(SYS_tgkill, 1, 1, number);
        syscall(SYS_tkill, 1, number);
        syscall(SYS_rt_sigqueueinfo, 1, number, &info);
        syscall(SYS_rt_tgsigqueueinfo, 1, 1, number, &info);
        if (meter >= 0) syscall(424, meter, number, nullptr, 0); /* pidfd_send_signal */
        if (number != SIGCHLD && fork() == 0) { /* the kernel sends this to the parent, which soon is the meter */
            if (fork() != 0) _exit(0);
            usleep(1000);
            syscall(SYS_exit, number);
        }
        while (waitpid(-1, nullptr, 0) > 0) {}
    }
    puts("DENIED");
}
