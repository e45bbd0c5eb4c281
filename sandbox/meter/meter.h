/* The meter: process 1 of a sandbox. It starts payloads, measures them, enforces their limits and cleans up. */
#ifndef METER_H
#define METER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What travels are little-endian 64-bit words followed by bytes; wire.py is the other end. The meter answers a request
 * with frames: any number of OUTPUT and ERRORS, which carry what the payload wrote, then one RESULT.
 */
#define READY_MAGIC 0x3252544d42544641ULL  /* "AFTBMTR2", sent once when the meter is up */
#define RESULT_MAGIC 0x3254534552544641ULL /* "AFTREST2", starts every result */

enum frame_kind { FRAME_OUTPUT = 1, FRAME_ERRORS = 2, FRAME_RESULT = 3 };

struct frame_header {
    uint64_t kind, bytes;
};

struct request_header {
    uint64_t wall_ns, cpu_ns, memory_kib, output_bytes, processes, file_bytes, open_files;
    uint64_t cpu_plus_one; /* the core the payload is pinned to, plus one; 0: not pinned */
    uint64_t argument_count, environment_count, strings_bytes, stdin_bytes;
};

struct request {
    struct request_header header;
    char *working_directory;
    char **arguments;
    char **environment;
    unsigned char *stdin_data;
};

enum end { END_EXITED = 0, END_SIGNALED = 1, END_NOT_STARTED = 2 };
enum limit {
    LIMIT_NONE = 0, LIMIT_WALL = 1, LIMIT_CPU = 2, LIMIT_MEMORY = 3, LIMIT_OUTPUT = 4, LIMIT_PROCESSES = 5,
    LIMIT_FILES = 6,
};

struct result_header {
    uint64_t magic, end, code, limit, wall_ns, cpu_ns, peak_kib;
    double integral_kib_s;
    uint64_t samples, dirty, stdout_bytes, stderr_bytes, series_length;
};

struct point {
    uint64_t time_ns, resident_kib;
};

/* sample.c: the memory, CPU time and number of the processes of the tree */
#define SERIES_CAPACITY 16384

struct watch {
    uint64_t resident_kib, tasks, peak_kib;
    uint64_t seen_cpu_ns; /* CPU time of every process ever seen, at its last sight */
    double integral_kib_s;
    uint64_t samples, stride, series_length;
    struct point last;
    struct point series[SERIES_CAPACITY];
};

uint64_t now_ns(void);
void watch_open(void);
void watch_start(struct watch *watch, uint64_t start_ns);
void watch_sample(struct watch *watch);
void watch_finish(struct watch *watch, uint64_t end_ns);

/* host.c: the line to the host, in one direction or the other */
struct host {
    int in, out; /* the same socket, or two pipes */
    size_t frame_bytes; /* what `out` takes in one go without blocking, if it takes anything */
};

/* What a payload wrote and the host has not got yet. */
struct ring {
    unsigned char *data;
    size_t head, length;
};

#define RING_BYTES (4UL << 20)

struct host host_of(int in, int out);
void read_exactly(const struct host *host, void *buffer, size_t bytes);
void write_exactly(const struct host *host, const void *buffer, size_t bytes);
void write_frame_header(const struct host *host, enum frame_kind kind, uint64_t bytes);
void ring_open(struct ring *ring);
void ring_close(struct ring *ring);
size_t ring_room(const struct ring *ring, unsigned char **place); /* of what can be filled in one go */
void ring_send(const struct host *host, enum frame_kind kind, struct ring *ring, size_t most_bytes);

/* group.c: the control groups of the payload, if the host has made any */
#define GROUPS 8

struct groups {
    int join[GROUPS], count; /* descriptors of `tasks` */
    int events;              /* descriptor of `memory.events` or `memory.oom_control`, or -1 */
    int usage;               /* descriptor of `cpu.stat` or `cpuacct.usage`, or -1 */
};

void groups_open(struct groups *groups, const char *join, const char *events, const char *usage);
int groups_join(const struct groups *groups);          /* 0, or an errno */
uint64_t groups_oom_kills(const struct groups *groups); /* so far */
uint64_t groups_cpu_ns(const struct groups *groups);    /* so far, of the payload alone; 0 if nobody counts it */

/* run.c: one payload from its start to the last of its descendants */
struct setting {
    struct host host;
    struct groups groups;
    char **folders; /* writable; ends with NULL */
};

void run_payload(
    const struct request *request, const struct setting *setting, struct watch *watch, struct result_header *result);

/* payload.c: what the child does between fork and exec */
struct departure {
    uint64_t time_ns, cpu_ns; /* of the child, just before its exec */
};

void payload_open(void); /* once, before the first */
void start_payload(const struct request *request, const struct groups *groups, int status_pipe)
    __attribute__((noreturn));
int stay_off_cpu(uint64_t cpu_plus_one); /* returns 1 if the payload leaves us a core */

/* filter.c: the system calls a payload may not make; 0, or an errno */
int install_filter(void);

/* clean.c: empties the writable folders; 0, or 1 if something may be left */
int empty_folder(const char *path);
int holds_too_many_files(const char *path);
int network_was_used(void); /* since it was asked for the first time */

/* devices.c: starts a command, with device files that it cannot change; returns only on failure */
void launch_with_guarded_devices(char **command);

/* meter.c */
void die(const char *what) __attribute__((noreturn));
void *map_private(size_t bytes);

#endif
