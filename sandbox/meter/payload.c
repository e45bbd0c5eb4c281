/* What the child does between fork and exec. */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (64UL << 20) /* deep recursion is common in what people submit; the hard limit stays */

static int processes_are_counted;

static void set_limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (hard < limit.rlim_max) limit.rlim_max = hard;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    setrlimit(resource, &limit); /* it lowers only, which is always allowed */
}

/* Docker's containers are in the namespace of the machine, where all of them are one user. */
static int is_in_first_user_namespace(void) {
    unsigned long inside = 1, outside = 1, count = 0;
    FILE *map = fopen("/proc/self/uid_map", "re");
    if (map == NULL) return 0;
    if (fscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3) count = 0;
    fclose(map);
    return inside == 0 && outside == 0 && count == 0xffffffffUL;
}

/* Since Linux 5.14 the kernel counts processes per user namespace; before, over everything the user runs. */
static int processes_are_counted_here(void) {
    struct utsname system;
    int major = 0, minor = 0;
    if (is_in_first_user_namespace()) return 0;
    if (uname(&system) != 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2) return 0;
    return major > 5 || (major == 5 && minor >= 14);
}

/* What is the same for all payloads. */
void payload_open(void) { processes_are_counted = processes_are_counted_here(); }

static void set_limits(const struct request_header *limits) {
    /* No core file is that short, and of this one value the kernel starts no handler of crashes either: core(5). */
    set_limit(RLIMIT_CORE, 1, 1);
    set_limit(RLIMIT_NOFILE, limits->open_files, limits->open_files);
    set_limit(RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes);
    set_limit(RLIMIT_STACK, STACK_BYTES, RLIM_INFINITY);
    set_limit(RLIMIT_MSGQUEUE, 0, 0);
    /* The sampler enforces the number exactly and says so; this only slows a fork bomb down until it has looked. */
    rlim_t processes = 2 * limits->processes + 16;
    if (processes_are_counted) set_limit(RLIMIT_NPROC, processes, processes);
}

/* The meter may use every core that it had at first, but the payload's, if there is another. */
int stay_off_cpu(uint64_t cpu_plus_one) {
    static cpu_set_t all;
    static int known = 0;
    if (!known) known = sched_getaffinity(0, sizeof all, &all) == 0;
    if (!known) return 0;
    if (CPU_COUNT(&all) < 2) return cpu_plus_one > 0 && !CPU_ISSET(cpu_plus_one - 1, &all);
    cpu_set_t cpus = all;
    if (cpu_plus_one > 0) CPU_CLR(cpu_plus_one - 1, &cpus);
    return sched_setaffinity(0, sizeof cpus, &cpus) == 0;
}

static int pin(uint64_t cpu_plus_one) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu_plus_one - 1, &cpus);
    return sched_setaffinity(0, sizeof cpus, &cpus);
}

static void reset_signals(void) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        if (signal(number, SIG_DFL) != SIG_ERR) continue;
        /* The C library keeps 32 and 33 to itself, yet whoever started us may have left them ignored. A structure of
         * zeros, no smaller than the kernel's on any machine, says "default"; 8 is the size of the kernel's mask. */
        const char default_action[64] = {0};
        syscall(SYS_rt_sigaction, number, default_action, NULL, 8UL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves 0 to 2 and the status pipe, which closes itself at exec. Returns the pipe's new number. */
static int close_descriptors(int status_pipe) {
    if (status_pipe != 3 && dup3(status_pipe, 3, O_CLOEXEC) != 3) _exit(125);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 4U, ~0U, 0U) == 0) return 3;
#endif
    for (int descriptor = 4; descriptor < (int)sysconf(_SC_OPEN_MAX); descriptor++) close(descriptor);
    return 3;
}

/* execvp would search the meter's own PATH; the payload's is another. */
static void execute(const struct request *request) {
    const char *name = request->arguments[0], *path = NULL;
    char candidate[PATH_MAX];
    for (char **variable = request->environment; *variable != NULL; variable++) {
        if (strncmp(*variable, "PATH=", 5) == 0) path = *variable + 5;
    }
    if (strchr(name, '/') != NULL) {
        execve(name, request->arguments, request->environment);
        return;
    }
    errno = ENOENT;
    for (const char *end; path != NULL && *path != 0; path = *end == 0 ? end : end + 1) {
        end = strchrnul(path, ':');
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)(end - path), path, name);
        if (access(candidate, X_OK) == 0) execve(candidate, request->arguments, request->environment);
    }
}

static uint64_t own_cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

void start_payload(const struct request *request, const struct groups *groups, int status_pipe) {
    int failure = groups_join(groups);
    status_pipe = close_descriptors(status_pipe);
    reset_signals();
    setsid();
    umask(022);
    prctl(PR_SET_TIMERSLACK, 0UL); /* its sleeps are as imprecise as anywhere */
    if (failure == 0 && request->header.cpu_plus_one > 0 && pin(request->header.cpu_plus_one) != 0) failure = errno;
    if (failure == 0 && chdir(request->working_directory) != 0) failure = errno;
    if (failure == 0) {
        set_limits(&request->header);
        failure = install_filter();
    }
    struct departure departure = {now_ns(), own_cpu_ns()}; /* what came before is ours, not the payload's */
    if (write(status_pipe, &departure, sizeof departure) != sizeof departure) _exit(126);
    if (failure == 0) {
        execute(request);
        failure = errno;
    }
    if (write(status_pipe, &failure, sizeof failure) != sizeof failure) _exit(126);
    _exit(127);
}
