/*
 * Watches the process tree: everything in /proc but process 1, which is the meter itself. Memory is the sum of the
 * resident sets: a page that several processes share counts for each of them, as telling them apart takes the kernel
 * milliseconds.
 */
#define _GNU_SOURCE
#include "meter.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SIGHT_CAPACITY 8192

/* The CPU time that a process had when it was last seen. Kept in the order of /proc, which is ascending. */
struct sight {
    long pid;
    uint64_t cpu_ns;
};

static DIR *proc;
static long processes_at; /* where processes begin in it, after some fifty files of the kernel's */
static struct sight *sights, *fresh_sights;
static size_t sight_count;
static uint64_t departed_cpu_ns;

uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

/* We are the first process, and no other has a smaller number: all come after the place where we are found. */
void watch_open(void) {
    struct dirent *entry;
    proc = opendir("/proc");
    if (proc == NULL) die("/proc");
    do processes_at = telldir(proc);
    while ((entry = readdir(proc)) != NULL && strcmp(entry->d_name, "1") != 0);
    if (entry == NULL) die("/proc does not show process 1");
    sights = map_private(SIGHT_CAPACITY * sizeof *sights);
    fresh_sights = map_private(SIGHT_CAPACITY * sizeof *sights);
}

static uint64_t resident_kib(int folder, const char *pid) {
    char path[32], text[128];
    snprintf(path, sizeof path, "%.16s/statm", pid);
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0; /* it has just ended */
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0) return 0;
    text[got] = 0;
    const char *second = strchr(text, ' ');
    return second == NULL ? 0 : strtoull(second, NULL, 10) * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);
}

/* Every thread is an entry of the folder `task`, and counts as one of its links. */
static uint64_t thread_count(const char *pid) {
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "%.16s/task", pid);
    if (fstatat(dirfd(proc), path, &status, 0) != 0 || status.st_nlink < 3) return 1;
    return status.st_nlink - 2;
}

/* Of a process whose first thread has ended the kernel shows nothing, while its other threads go on. */
static uint64_t resident_kib_of_threads(const char *pid) {
    char path[32];
    struct dirent *entry;
    uint64_t resident = 0;
    snprintf(path, sizeof path, "%.16s/task", pid);
    int folder = openat(dirfd(proc), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *threads = folder < 0 ? NULL : fdopendir(folder);
    if (threads == NULL) {
        if (folder >= 0) close(folder);
        return 0;
    }
    while (resident == 0 && (entry = readdir(threads)) != NULL) {
        if (entry->d_name[0] != '.') resident = resident_kib(folder, entry->d_name);
    }
    closedir(threads);
    return resident;
}

static uint64_t process_cpu_ns(long pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

/*
 * CPU time is added up from what was seen, too: children whose parent ignores SIGCHLD vanish from every rusage.
 * A process that is gone, or whose number now stands for one with less time, keeps its last reading in the sum.
 */
static void add_up_cpu(struct watch *watch, size_t fresh_count) {
    uint64_t living = 0;
    size_t old = 0;
    for (size_t i = 0; i < fresh_count; i++) {
        while (old < sight_count && sights[old].pid < fresh_sights[i].pid) departed_cpu_ns += sights[old++].cpu_ns;
        if (old < sight_count && sights[old].pid == fresh_sights[i].pid) {
            if (sights[old].cpu_ns > fresh_sights[i].cpu_ns) departed_cpu_ns += sights[old].cpu_ns;
            old++;
        }
        living += fresh_sights[i].cpu_ns;
    }
    while (old < sight_count) departed_cpu_ns += sights[old++].cpu_ns;
    struct sight *swap = sights;
    sights = fresh_sights;
    fresh_sights = swap;
    sight_count = fresh_count;
    watch->seen_cpu_ns = departed_cpu_ns + living;
}

/* Keeps the series bounded: when it is full every other point goes, and from then on only every other one comes. */
static void record(struct watch *watch, struct point point) {
    if (watch->samples++ % watch->stride != 0) return;
    if (watch->series_length == SERIES_CAPACITY - 1) { /* the last place is the end point's */
        for (uint64_t i = 0; 2 * i < watch->series_length; i++) watch->series[i] = watch->series[2 * i];
        watch->series_length = (watch->series_length + 1) / 2;
        watch->stride *= 2;
    }
    watch->series[watch->series_length++] = point;
}

static void advance(struct watch *watch, struct point point) {
    double seconds = (double)(point.time_ns - watch->last.time_ns) / 1e9;
    watch->integral_kib_s += seconds * (double)(watch->last.resident_kib + point.resident_kib) / 2.0;
    watch->last = point;
    if (point.resident_kib > watch->peak_kib) watch->peak_kib = point.resident_kib;
}

void watch_start(struct watch *watch, uint64_t start_ns) {
    memset(watch, 0, offsetof(struct watch, series));
    watch->stride = 1;
    watch->last.time_ns = start_ns; /* nothing is resident yet */
    departed_cpu_ns = 0;
    sight_count = 0;
    record(watch, watch->last);
}

void watch_sample(struct watch *watch) {
    struct dirent *entry;
    size_t count = 0;
    uint64_t resident = 0, tasks = 0, before = now_ns();
    seekdir(proc, processes_at);
    while ((entry = readdir(proc)) != NULL) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid == 1) continue;
        uint64_t own = resident_kib(dirfd(proc), entry->d_name), threads = thread_count(entry->d_name);
        if (own == 0 && threads > 1) own = resident_kib_of_threads(entry->d_name);
        resident += own;
        tasks += threads;
        if (count < SIGHT_CAPACITY) fresh_sights[count++] = (struct sight){pid, process_cpu_ns(pid)};
    }
    uint64_t after = now_ns();
    struct point point = {before + (after - before) / 2, resident};
    add_up_cpu(watch, count);
    watch->resident_kib = resident;
    watch->tasks = tasks;
    advance(watch, point);
    record(watch, point);
}

/* The memory at the end is what it was at the last look: the kernel takes it away before it tells of the end. */
void watch_finish(struct watch *watch, uint64_t end_ns) {
    struct point point = {end_ns > watch->last.time_ns ? end_ns : watch->last.time_ns, watch->last.resident_kib};
    advance(watch, point);
    watch->samples++;
    watch->series[watch->series_length++] = point;
}
