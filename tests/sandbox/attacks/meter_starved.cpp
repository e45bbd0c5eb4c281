// attack: keeps every core busy at the highest priority it can get, so that the meter never sees how late it is
// must: time_limit
// limits: wall_time_s=0.5 cpu_time_s=60
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
int main() {
    sched_param top = {99};
    for (int child = 0; child < 5; child++) fork();
    sched_setscheduler(0, SCHED_FIFO, &top);
    sched_setscheduler(0, SCHED_RR, &top);
    setpriority(PRIO_PROCESS, 0, -20);
    for (;;) sched_yield();
}
