/*
 * Control groups. In version 1 the host hands files in by which the payload steps into its groups, between fork and exec:
 * nothing of the meter is counted with it, and the meter cannot be what the kernel kills for memory.
 */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A number is a descriptor that was handed in, anything else a path, and "-" is nothing. */
static int open_given(const char *given, int flags) {
    char *end;
    if (strcmp(given, "-") == 0) return -1;
    long number = strtol(given, &end, 10);
    if (*end != 0) return open(given, flags | O_CLOEXEC); /* there may be none: then there is nothing to read */
    if (fcntl((int)number, F_SETFD, FD_CLOEXEC) != 0) die("control group");
    return (int)number;
}

void groups_open(struct groups *groups, const char *join, const char *events, const char *usage) {
    groups->count = 0;
    groups->events = open_given(events, O_RDONLY);
    groups->usage = open_given(usage, O_RDONLY);
    while (strcmp(join, "-") != 0 && *join != 0 && groups->count < GROUPS) {
        char *end;
        groups->join[groups->count] = (int)strtol(join, &end, 10);
        if (end == join || fcntl(groups->join[groups->count], F_SETFD, FD_CLOEXEC) != 0) die("control group");
        groups->count++;
        join = *end == ',' ? end + 1 : end;
    }
}

int groups_join(const struct groups *groups) {
    for (int i = 0; i < groups->count; i++) {
        if (write(groups->join[i], "0", 1) != 1) return errno; /* 0 is whoever writes */
    }
    return 0;
}

/* Reads a small file of the kernel's anew; an empty text if there is none. */
static const char *read_anew(int file, char *text, size_t bytes) {
    ssize_t got = file < 0 ? -1 : pread(file, text, bytes - 1, 0);
    text[got < 0 ? 0 : got] = 0;
    return text;
}

/* The number on the line that starts with a name; 0 if there is no such line. */
static uint64_t number_of(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, name, length) == 0) return strtoull(line + length, NULL, 10);
    }
    return 0;
}

/* Both versions tell it in the same words. */
uint64_t groups_oom_kills(const struct groups *groups) {
    char text[512];
    return number_of(read_anew(groups->events, text, sizeof text), "oom_kill ");
}

/* Version 1 tells nanoseconds, version 2 microseconds. A meter that is in the group, too, does not count itself. */
uint64_t groups_cpu_ns(const struct groups *groups) {
    char text[1024];
    struct timespec own = {0, 0};
    read_anew(groups->usage, text, sizeof text);
    uint64_t all = number_of(text, "usage_usec ") * 1000;
    if (all == 0) all = strtoull(text, NULL, 10);
    if (groups->count == 0) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    uint64_t own_ns = (uint64_t)own.tv_sec * 1000000000ULL + (uint64_t)own.tv_nsec;
    return all > own_ns ? all - own_ns : 0;
}
