/* The meter: process 1 of a sandbox. It starts payloads, measures them, enforces their limits and cleans up. */
#ifndef METER_H
#define METER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Both frames are little-endian 64-bit words followed by bytes; wire.py is the other end. */
#define READY_MAGIC 0x3152544d42544641ULL  /* "AFTBMTR1", sent once when the meter is up */
#define RESULT_MAGIC 0x3154534552544641ULL /* "AFTREST1", starts every result */

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
enum limit { LIMIT_NONE = 0, LIMIT_WALL = 1, LIMIT_CPU = 2, LIMIT_MEMORY = 3, LIMIT_OUTPUT = 4, LIMIT_PROCESSES = 5 };

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

/* run.c: one payload from its start to the last of its descendants */
struct outcome {
    struct result_header header;
    unsigned char *stdout_data, *stderr_data;
    size_t mapped_bytes; /* of each of the two */
};

void run_payload(const struct request *request, int host, struct watch *watch, struct outcome *outcome);
void release_outcome(struct outcome *outcome);

/* payload.c: what the child does between fork and exec; returns only to report the errno of what failed */
int start_payload(const struct request *request, int status_pipe);
int stay_off_cpu(uint64_t cpu_plus_one); /* returns 1 if there is more than one core */

/* filter.c: the system calls a payload may not make; 0, or an errno */
int install_filter(void);

/* clean.c: empties the writable folders; 0, or 1 if something may be left */
int empty_folder(const char *path);

/* meter.c */
void die(const char *what) __attribute__((noreturn));
void *map_private(size_t bytes);

#endif
