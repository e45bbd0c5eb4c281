/*
 * The reference of the benchmark: starts fresh processes one after another, each with its output in a pipe, and does
 * nothing else.
 *
 *     bare CPU COUNT FOLDER INPUT EXPECTED PROGRAM ARGUMENT...
 *
 * CPU is -1 for any. Each process reads the file INPUT, and has to print what the file EXPECTED holds; "-" is no file.
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
#define WRONG 0x10000 /* no status of wait(2) */
#define LONGEST (1UL << 20)

struct texts {
    const char *input; /* a path */
    char *expected;    /* NULL: whatever it prints is right */
    size_t expected_bytes;
};

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

static int pin(int cpu) {
    cpu_set_t cpus;
    if (cpu < 0) return 0;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    return sched_setaffinity(0, sizeof cpus, &cpus);
}

static void become(int cpu, const char *input, int output, char **command) {
    int source = open(input, O_RDONLY | O_CLOEXEC);
    if (pin(cpu) == 0 && dup2(source, 0) == 0 && dup2(output, 1) == 1) execv(command[0], command);
    _exit(127);
}

/* Takes all of the output, and keeps the first line. Returns whether all of it is what was expected. */
static int drain(int output, const struct texts *texts, char *line) {
    char buffer[65536];
    size_t kept = 0, place = 0;
    int same = 1;
    ssize_t got;
    while ((got = read(output, buffer, sizeof buffer)) > 0) {
        size_t bytes = (size_t)got;
        if (texts->expected != NULL) {
            same &= bytes <= texts->expected_bytes - place && memcmp(texts->expected + place, buffer, bytes) == 0;
            if (same) place += bytes;
        }
        size_t taken = FIRST_LINE - 1 - kept < bytes ? FIRST_LINE - 1 - kept : bytes;
        memcpy(line + kept, buffer, taken);
        kept += taken;
    }
    line[strcspn(line, "\n")] = 0;
    return same && (texts->expected == NULL || place == texts->expected_bytes);
}

static int run(int cpu, const struct texts *texts, char **command, struct record *record) {
    int ends[2];
    struct rusage usage;
    uint64_t start_ns = now_ns();
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) become(cpu, texts->input, ends[1], command);
    close(ends[1]);
    int right = drain(ends[0], texts, record->line);
    close(ends[0]);
    if (wait4(child, &record->status, 0, &usage) != child) return -1;
    if (!right && record->status == 0) record->status = WRONG;
    record->wall_ns = now_ns() - start_ns;
    record->cpu_ns = as_ns(usage.ru_utime) + as_ns(usage.ru_stime);
    return 0;
}

static int load(const char *path, struct texts *texts) {
    if (strcmp(path, "-") == 0) return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    texts->expected = malloc(LONGEST);
    ssize_t got = file < 0 || texts->expected == NULL ? -1 : read(file, texts->expected, LONGEST);
    texts->expected_bytes = got < 0 ? 0 : (size_t)got;
    return got < 0;
}

int main(int count, char **arguments) {
    if (count < 7) return 2;
    struct texts texts = {strcmp(arguments[4], "-") == 0 ? "/dev/null" : arguments[4], NULL, 0};
    int cpu = atoi(arguments[1]);
    size_t processes = strtoul(arguments[2], NULL, 10);
    struct record *records = calloc(processes, sizeof *records);
    if (records == NULL || chdir(arguments[3]) != 0 || load(arguments[5], &texts) != 0) return 2;
    uint64_t start_ns = now_ns();
    for (size_t i = 0; i < processes; i++) {
        if (run(cpu, &texts, arguments + 6, &records[i]) != 0) return 1;
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
