/*
 * The meter is process 1 inside the sandbox: signals from the payload cannot hurt it there, and since it is not
 * dumpable nothing can be written into its descriptors. It serves one request after another from the host:
 *
 *     meter IN OUT JOIN EVENTS USAGE WRITABLE_FOLDER...
 *
 * IN and OUT are descriptors: one socket, or two pipes. JOIN lists, with commas, descriptors of the `tasks` files of
 * the groups that the payload is to enter; EVENTS and USAGE are the files that count kills for memory and CPU time, by
 * descriptor or path; "-" is none.
 *
 * Outside of a sandbox it does one thing more: `meter launch COMMAND...`, see devices.c.
 *
 * It reads a request, runs the payload, kills what is left of it, empties the writable folders, and answers. Samples
 * and the first megabytes of output are held back until the payload has ended: nothing on the host has to run, and to
 * disturb the measurement, while the payload does. When the host goes away, so does the meter, and with it the process
 * namespace.
 */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

void die(const char *what) {
    fprintf(stderr, "meter: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Memory that a forked child does not get: it would count as the payload's, up to its exec. */
void *map_private(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, bytes, MADV_DONTFORK) != 0) die("mmap");
    return memory;
}

/* Cuts `count` NUL-terminated strings off the front of [*place, end). */
static char **cut_strings(char **place, const char *end, uint64_t count) {
    char **strings = calloc(count + 1, sizeof *strings);
    if (strings == NULL) die("calloc");
    for (uint64_t i = 0; i < count; i++) {
        size_t length = strnlen(*place, (size_t)(end - *place));
        if (*place + length >= end) {
            errno = EPROTO;
            die("request");
        }
        strings[i] = *place;
        *place += length + 1;
    }
    return strings;
}

static void serve(const struct setting *setting, struct watch *watch) {
    struct request request;
    struct result_header result;
    read_exactly(&setting->host, &request.header, sizeof request.header);
    char *strings = malloc(request.header.strings_bytes);
    if (strings == NULL) die("malloc");
    read_exactly(&setting->host, strings, request.header.strings_bytes);
    size_t stdin_mapped = request.header.stdin_bytes + 1;
    request.stdin_data = map_private(stdin_mapped);
    read_exactly(&setting->host, request.stdin_data, request.header.stdin_bytes);

    char *place = strings, *end = strings + request.header.strings_bytes;
    char **directory = cut_strings(&place, end, 1);
    request.working_directory = directory[0];
    request.arguments = cut_strings(&place, end, request.header.argument_count);
    request.environment = cut_strings(&place, end, request.header.environment_count);

    run_payload(&request, setting, watch, &result);
    for (char **folder = setting->folders; *folder != NULL; folder++) {
        if (empty_folder(*folder) != 0) result.dirty = 1;
    }
    if (network_was_used()) result.dirty = 1;
    size_t series_bytes = result.series_length * sizeof(struct point);
    write_frame_header(&setting->host, FRAME_RESULT, sizeof result + series_bytes);
    write_exactly(&setting->host, &result, sizeof result);
    write_exactly(&setting->host, watch->series, series_bytes);

    munmap(request.stdin_data, stdin_mapped);
    free(request.environment);
    free(request.arguments);
    free(directory);
    free(strings);
}

int main(int count, char **arguments) {
    struct setting setting;
    if (count > 2 && strcmp(arguments[1], "launch") == 0) {
        launch_with_guarded_devices(arguments + 2);
        die(arguments[2]);
    }
    if (getpid() != 1) { /* it kills every process that it can see */
        fputs("meter: runs only as process 1 of a sandbox\n", stderr);
        return 2;
    }
    if (count < 6) return 2;
    setting.host = host_of(atoi(arguments[1]), atoi(arguments[2]));
    setting.folders = arguments + 6;
    if (fcntl(setting.host.in, F_SETFD, FD_CLOEXEC) != 0) die("descriptor");
    if (fcntl(setting.host.out, F_SETFD, FD_CLOEXEC) != 0) die("descriptor");
    groups_open(&setting.groups, arguments[3], arguments[4], arguments[5]);
    if (prctl(PR_SET_DUMPABLE, 0) != 0) die("prctl");
    prctl(PR_SET_TIMERSLACK, 1); /* sample when due, not 50 us later; gVisor has no such setting */
    sigset_t blocked; /* children are noticed through a signalfd, and a closed pipe through EPIPE */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGPIPE);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) != 0) die("sigprocmask");
    watch_open();
    payload_open();
    network_was_used();
    struct watch *watch = map_private(sizeof *watch);
    uint64_t ready = READY_MAGIC;
    write_exactly(&setting.host, &ready, sizeof ready);
    for (;;) serve(&setting, watch);
}
