/* One payload: start, feed, watch, limit, end, and the death of everything that it left behind. */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_NS 1000000ULL      /* 1 kHz */
#define EARLY_INTERVAL_NS 100000ULL /* 10 kHz, so that short runs are measured as finely as long ones */
#define EARLY_NS 20000000ULL

#define STREAM_FROM (RING_BYTES / 2) /* less than this waits for the end */
#define SELDOM 16                    /* samples between two looks at what is dearer to look at */
#define DOUBT_NS 10000000ULL

enum { STDIN_PIPE, STDOUT_PIPE, STDERR_PIPE, CHILD_SIGNALS, HOST_IN, HOST_OUT, POLLED };

struct run {
    const struct request *request;
    const struct setting *setting;
    struct watch *watch;
    struct result_header *result;
    struct ring rings[POLLED]; /* of the two outputs */
    struct pollfd polled[POLLED];
    pid_t first;
    int ended, status, has_own_core;
    uint64_t start_ns, end_ns, next_sample_ns, stdin_written;
    uint64_t departure_cpu_ns, reaped_cpu_ns, reaped_peak_kib, oom_kills_before;
    uint64_t group_cpu_ns_before, group_cpu_ns;
};

static enum frame_kind frame_of(int which) { return which == STDOUT_PIPE ? FRAME_OUTPUT : FRAME_ERRORS; }

static void hang_up(struct pollfd *polled) {
    if (polled->fd >= 0) close(polled->fd);
    polled->fd = -1;
}

static void open_pipe(int ends[2], int ours) {
    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[ours], F_SETFL, O_NONBLOCK) != 0) die("pipe");
}

static int read_whole(int pipe, void *buffer, size_t bytes) {
    ssize_t got;
    do got = read(pipe, buffer, bytes);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)bytes;
}

/* Returns the errno of a start that failed; 0 once the payload's own code runs. */
static int start(struct run *run) {
    int input[2], output[2], errors[2], status[2], failure = 0;
    struct departure departure;
    open_pipe(input, 1);
    open_pipe(output, 0);
    open_pipe(errors, 0);
    if (pipe2(status, O_CLOEXEC) != 0) die("pipe");
    run->start_ns = now_ns();
    run->first = fork();
    if (run->first < 0) die("fork");
    if (run->first == 0) {
        if (dup2(input[0], 0) != 0 || dup2(output[1], 1) != 1 || dup2(errors[1], 2) != 2) _exit(125);
        start_payload(run->request, &run->setting->groups, status[1]);
    }
    close(input[0]);
    close(output[1]);
    close(errors[1]);
    close(status[1]);
    run->polled[STDIN_PIPE] = (struct pollfd){.fd = input[1], .events = POLLOUT};
    run->polled[STDOUT_PIPE] = (struct pollfd){.fd = output[0], .events = POLLIN};
    run->polled[STDERR_PIPE] = (struct pollfd){.fd = errors[0], .events = POLLIN};
    if (read_whole(status[0], &departure, sizeof departure)) {
        run->start_ns = departure.time_ns;
        run->departure_cpu_ns = departure.cpu_ns;
    }
    if (!read_whole(status[0], &failure, sizeof failure)) failure = 0; /* the pipe closed itself at exec */
    close(status[0]);
    return failure;
}

static void feed(struct run *run) {
    struct pollfd *pipe = &run->polled[STDIN_PIPE];
    uint64_t left = run->request->header.stdin_bytes - run->stdin_written;
    ssize_t put = left == 0 ? 0 : write(pipe->fd, run->request->stdin_data + run->stdin_written, left);
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (put > 0) run->stdin_written += (uint64_t)put;
    if (put < 0 || run->stdin_written == run->request->header.stdin_bytes) hang_up(pipe);
}

/* Takes what a pipe holds, up to the limit over both; what is beyond is thrown away. Returns 0 at its end. */
static int drain(struct run *run, int which) {
    unsigned char spill[65536], *place;
    struct result_header *result = run->result;
    uint64_t *length = which == STDOUT_PIPE ? &result->stdout_bytes : &result->stderr_bytes;
    uint64_t allowed = run->request->header.output_bytes - result->stdout_bytes - result->stderr_bytes;
    size_t room = ring_room(&run->rings[which], &place);
    if (allowed > 0 && room == 0) return 1; /* the host has to take something first */
    if (room > allowed) room = allowed;
    ssize_t got = read(run->polled[which].fd, allowed > 0 ? place : spill, allowed > 0 ? room : sizeof spill);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got > 0 && allowed == 0 && result->limit == LIMIT_NONE) result->limit = LIMIT_OUTPUT;
    if (got > 0 && allowed > 0) {
        run->rings[which].length += (size_t)got;
        *length += (uint64_t)got;
    }
    return got > 0;
}

static void count_reaped(struct run *run, pid_t pid, int status, const struct rusage *usage) {
    run->reaped_cpu_ns += (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ULL;
    run->reaped_cpu_ns += (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ULL;
    if ((uint64_t)usage->ru_maxrss > run->reaped_peak_kib) run->reaped_peak_kib = (uint64_t)usage->ru_maxrss;
    if (pid != run->first || run->ended) return;
    run->ended = 1;
    run->status = status;
    run->end_ns = now_ns();
}

static void reap(struct run *run, int flags) {
    int status;
    struct rusage usage;
    for (;;) {
        pid_t pid = wait4(-1, &status, flags, &usage);
        if (pid < 0 && errno == EINTR) continue;
        if (pid <= 0) return;
        count_reaped(run, pid, status, &usage);
    }
}

/*
 * What processes tell of themselves is exact, but children that nobody waits for can hide between two samples. Their
 * group counts them. It counts a little of the kernel's and of ours as well, so it is believed only where it says more
 * than that could be.
 */
static uint64_t cpu_ns(const struct run *run) {
    uint64_t all = run->reaped_cpu_ns > run->watch->seen_cpu_ns ? run->reaped_cpu_ns : run->watch->seen_cpu_ns;
    if (run->group_cpu_ns > all + all / 8 + DOUBT_NS) all = run->group_cpu_ns;
    return all > run->departure_cpu_ns ? all - run->departure_cpu_ns : 0;
}

static void look_at_group(struct run *run) {
    uint64_t now = groups_cpu_ns(&run->setting->groups);
    run->group_cpu_ns = now > run->group_cpu_ns_before ? now - run->group_cpu_ns_before : 0;
}

static int too_many_files(const struct run *run) {
    if (run->watch->samples % SELDOM != 0) return 0;
    for (char **folder = run->setting->folders; *folder != NULL; folder++) {
        if (holds_too_many_files(*folder)) return 1;
    }
    return 0;
}

/* The gravest limit that is exceeded, in the order of the verdicts. */
static uint64_t exceeded(const struct run *run, uint64_t wall_ns, uint64_t peak_kib) {
    const struct request_header *limits = &run->request->header;
    if (wall_ns > limits->wall_ns) return LIMIT_WALL;
    if (cpu_ns(run) > limits->cpu_ns) return LIMIT_CPU;
    if (peak_kib > limits->memory_kib) return LIMIT_MEMORY;
    if (groups_oom_kills(&run->setting->groups) > run->oom_kills_before) return LIMIT_MEMORY;
    if (run->result->limit != LIMIT_NONE) return run->result->limit;
    if (run->watch->tasks > limits->processes) return LIMIT_PROCESSES;
    return too_many_files(run) ? LIMIT_FILES : LIMIT_NONE;
}

/* Sampling that often would disturb a payload that shares a core with us, as one that is not pinned may. */
static uint64_t interval_ns(const struct run *run, uint64_t now) {
    return run->has_own_core && now - run->start_ns < EARLY_NS ? EARLY_INTERVAL_NS : INTERVAL_NS;
}

static void sample_if_due(struct run *run) {
    uint64_t now = now_ns();
    if (now < run->next_sample_ns) return;
    watch_sample(run->watch);
    if (run->watch->samples % SELDOM == 0) look_at_group(run);
    uint64_t interval = interval_ns(run, now);
    run->next_sample_ns += interval;
    if (run->next_sample_ns <= now) run->next_sample_ns = now + interval; /* late: do not try to catch up */
}

/* A full ring leaves its pipe alone, and thereby holds its writer up; poll looks at no negative number. */
static void choose_pipes(struct run *run) {
    int streaming = 0;
    for (int which = STDOUT_PIPE; which <= STDERR_PIPE; which++) {
        struct pollfd *pipe = &run->polled[which];
        int full = run->rings[which].length == RING_BYTES;
        if (full != (pipe->fd < -1)) pipe->fd = pipe->fd == -1 ? -1 : -pipe->fd;
        if (run->rings[which].length >= STREAM_FROM) streaming = 1;
    }
    run->polled[HOST_OUT].fd = streaming ? run->setting->host.out : -1;
}

static void attend(struct run *run) {
    choose_pipes(run);
    uint64_t now = now_ns();
    uint64_t wait_ns = run->next_sample_ns > now ? run->next_sample_ns - now : 0;
    struct timespec wait = {(time_t)(wait_ns / 1000000000ULL), (long)(wait_ns % 1000000000ULL)};
    if (ppoll(run->polled, POLLED, &wait, NULL) <= 0) return;
    if (run->polled[HOST_IN].revents & (POLLHUP | POLLERR | POLLRDHUP)) exit(0);
    if (run->polled[STDIN_PIPE].revents != 0) feed(run);
    for (int which = STDOUT_PIPE; which <= STDERR_PIPE; which++) {
        if (run->polled[which].revents != 0 && !drain(run, which)) hang_up(&run->polled[which]);
        if (run->polled[HOST_OUT].revents == 0 || run->rings[which].length < STREAM_FROM) continue;
        ring_send(&run->setting->host, frame_of(which), &run->rings[which], run->setting->host.frame_bytes);
        run->polled[HOST_OUT].revents = 0; /* the room is used up */
    }
    if (run->polled[CHILD_SIGNALS].revents != 0) {
        struct signalfd_siginfo ignored;
        if (read(run->polled[CHILD_SIGNALS].fd, &ignored, sizeof ignored) < 0) return;
        reap(run, WNOHANG);
    }
}

/* Process 1 is the parent of every orphan: when nothing is left to wait for, nothing is left. */
static void kill_the_rest(struct run *run) {
    while (kill(-1, SIGKILL) == 0) reap(run, 0);
    reap(run, WNOHANG);
}

/* What still lies in the pipes when nobody is left to write goes to the host, like what waits in the rings. */
static void deliver(struct run *run) {
    for (int which = STDOUT_PIPE; which <= STDERR_PIPE; which++) {
        struct pollfd *pipe = &run->polled[which];
        if (pipe->fd < -1) pipe->fd = -pipe->fd;
        do ring_send(&run->setting->host, frame_of(which), &run->rings[which], RING_BYTES);
        while (pipe->fd >= 0 && drain(run, which));
        hang_up(pipe);
        ring_close(&run->rings[which]);
    }
}

static void report(struct run *run, int failure) {
    struct result_header *result = run->result;
    look_at_group(run);
    watch_finish(run->watch, run->end_ns);
    result->end = WIFSIGNALED(run->status) ? END_SIGNALED : END_EXITED;
    result->code = (uint64_t)(WIFSIGNALED(run->status) ? WTERMSIG(run->status) : WEXITSTATUS(run->status));
    result->wall_ns = run->end_ns - run->start_ns;
    result->cpu_ns = cpu_ns(run);
    result->peak_kib = run->watch->peak_kib; /* the kernel's own mark has seen what fell between two samples */
    if (run->reaped_peak_kib > result->peak_kib) result->peak_kib = run->reaped_peak_kib;
    result->limit = exceeded(run, result->wall_ns, result->peak_kib);
    result->integral_kib_s = run->watch->integral_kib_s;
    result->samples = run->watch->samples;
    result->series_length = run->watch->series_length;
    if (failure == 0) return;
    result->end = END_NOT_STARTED;
    result->code = (uint64_t)failure;
}

static void open_run(struct run *run) {
    sigset_t child_signal;
    ring_open(&run->rings[STDOUT_PIPE]);
    ring_open(&run->rings[STDERR_PIPE]);
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) die("signalfd");
    run->polled[CHILD_SIGNALS] = (struct pollfd){.fd = signals, .events = POLLIN};
    run->polled[HOST_IN] = (struct pollfd){.fd = run->setting->host.in, .events = POLLRDHUP};
    run->polled[HOST_OUT] = (struct pollfd){.fd = -1, .events = POLLOUT};
    uint64_t cpu_plus_one = run->request->header.cpu_plus_one;
    run->has_own_core = stay_off_cpu(cpu_plus_one) && cpu_plus_one > 0;
    run->group_cpu_ns_before = groups_cpu_ns(&run->setting->groups);
    run->oom_kills_before = groups_oom_kills(&run->setting->groups);
}

void run_payload(
    const struct request *request, const struct setting *setting, struct watch *watch, struct result_header *result) {
    struct run run = {.request = request, .setting = setting, .watch = watch, .result = result};
    *result = (struct result_header){.magic = RESULT_MAGIC};
    open_run(&run);
    int failure = start(&run);
    watch_start(watch, run.start_ns);
    run.next_sample_ns = run.start_ns;
    while (failure == 0 && !run.ended && result->limit == LIMIT_NONE) {
        sample_if_due(&run);
        result->limit = exceeded(&run, now_ns() - run.start_ns, watch->peak_kib);
        if (result->limit == LIMIT_NONE) attend(&run);
    }
    kill_the_rest(&run);
    deliver(&run);
    hang_up(&run.polled[STDIN_PIPE]);
    hang_up(&run.polled[CHILD_SIGNALS]);
    report(&run, failure);
}
