/*
 * The reference of the benchmark: starts fresh processes one after another, each pinned to a CPU and with its output in
 * a pipe, and does nothing else.
 *
 *     bare CPU COUNT FOLDER PROGRAM ARGUMENT...
 *
 * Prints a line for each: wall time and CPU time, nanoseconds, wait status, and the first line of what it printed; the
 * last line is the wall time of all together. The environment is passed on.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_LINE 96

struct record {
    uint64_t wall_ns, cpu_ns;
    int status;
    char line[FIRST_LINE];
};

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

static uint64_t as_ns(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_usec * 1000ULL;
}

static void become(int cpu, int output, char **command) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    int empty = open("/dev/null", O_RDONLY);
    if (sched_setaffinity(0, sizeof cpus, &cpus) == 0 && dup2(empty, 0) == 0 && dup2(output, 1) == 1) {
        execv(command[0], command);
    }
    _exit(127);
}

/* Takes all of the output, and keeps the first line. */
static void drain(int output, char *line) {
    char buffer[65536];
    size_t kept = 0;
    ssize_t got;
    while ((got = read(output, buffer, sizeof buffer)) > 0) {
        size_t taken = FIRST_LINE - 1 - kept < (size_t)got ? FIRST_LINE - 1 - kept : (size_t)got;
        memcpy(line + kept, buffer, taken);
        kept += taken;
    }
    line[strcspn(line, "\n")] = 0;
}

static int run(int cpu, char **command, struct record *record) {
    int ends[2];
    struct rusage usage;
    uint64_t start_ns = now_ns();
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) become(cpu, ends[1], command);
    close(ends[1]);
    drain(ends[0], record->line);
    close(ends[0]);
    if (wait4(child, &record->status, 0, &usage) != child) return -1;
    record->wall_ns = now_ns() - start_ns;
    record->cpu_ns = as_ns(usage.ru_utime) + as_ns(usage.ru_stime);
    return 0;
}

int main(int count, char **arguments) {
    if (count < 5) return 2;
    int cpu = atoi(arguments[1]);
    size_t processes = strtoul(arguments[2], NULL, 10);
    struct record *records = calloc(processes, sizeof *records);
    if (records == NULL || chdir(arguments[3]) != 0) return 2;
    uint64_t start_ns = now_ns();
    for (size_t i = 0; i < processes; i++) {
        if (run(cpu, arguments + 4, &records[i]) != 0) return 1;
    }
    uint64_t all_ns = now_ns() - start_ns;
    for (size_t i = 0; i < processes; i++) {
        const struct record *record = &records[i];
        printf("%llu %llu %d %s\n", (unsigned long long)record->wall_ns, (unsigned long long)record->cpu_ns,
            record->status, record->line);
    }
    printf("%llu\n", (unsigned long long)all_ns);
    return 0;
}
