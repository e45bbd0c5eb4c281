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

void groups_open(struct groups *groups, const char *join, const char *events) {
    groups->count = 0;
    groups->events = open_given(events, O_RDONLY);
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

/* Both versions tell it in the same words, on a line of its own. */
uint64_t groups_oom_kills(const struct groups *groups) {
    char text[512];
    if (groups->events < 0) return 0;
    ssize_t got = pread(groups->events, text, sizeof text - 1, 0);
    if (got <= 0) return 0;
    text[got] = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, "oom_kill ", 9) == 0) return strtoull(line + 9, NULL, 10);
    }
    return 0;
}
