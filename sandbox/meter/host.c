/* The line to the host: requests come in, frames go out. */
#define _GNU_SOURCE
#include "meter.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct host host_of(int in, int out) {
    struct stat status;
    int is_pipe = fstat(out, &status) == 0 && S_ISFIFO(status.st_mode);
    return (struct host){in, out, is_pipe ? PIPE_BUF - sizeof(struct frame_header) : 32768};
}

void read_exactly(const struct host *host, void *buffer, size_t bytes) {
    unsigned char *place = buffer;
    while (bytes > 0) {
        ssize_t got = read(host->in, place, bytes);
        if (got == 0) exit(0); /* the host has closed: nothing more to do */
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) die("read");
        place += got;
        bytes -= (size_t)got;
    }
}

void write_exactly(const struct host *host, const void *buffer, size_t bytes) {
    const unsigned char *place = buffer;
    while (bytes > 0) {
        ssize_t put = write(host->out, place, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) die("write");
        place += put;
        bytes -= (size_t)put;
    }
}

void write_frame_header(const struct host *host, enum frame_kind kind, uint64_t bytes) {
    struct frame_header header = {kind, bytes};
    write_exactly(host, &header, sizeof header);
}

void ring_open(struct ring *ring) { *ring = (struct ring){map_private(RING_BYTES), 0, 0}; }

void ring_close(struct ring *ring) { munmap(ring->data, RING_BYTES); }

size_t ring_room(const struct ring *ring, unsigned char **place) {
    size_t tail = (ring->head + ring->length) % RING_BYTES;
    *place = ring->data + tail;
    if (ring->length == RING_BYTES) return 0;
    return tail < ring->head ? ring->head - tail : RING_BYTES - tail;
}

/* Header and bytes go in one write: room for one is not room for two. */
static void send_frame(const struct host *host, enum frame_kind kind, unsigned char *data, size_t bytes) {
    struct frame_header header = {kind, bytes};
    struct iovec parts[2] = {{&header, sizeof header}, {data, bytes}};
    ssize_t put;
    do put = writev(host->out, parts, 2);
    while (put < 0 && errno == EINTR);
    if (put < 0) die("write");
    size_t done = (size_t)put;
    if (done < sizeof header) {
        write_exactly(host, (unsigned char *)&header + done, sizeof header - done);
        done = sizeof header;
    }
    write_exactly(host, data + (done - sizeof header), bytes - (done - sizeof header));
}

void ring_send(const struct host *host, enum frame_kind kind, struct ring *ring, size_t most_bytes) {
    while (ring->length > 0 && most_bytes > 0) {
        size_t bytes = RING_BYTES - ring->head;
        if (bytes > ring->length) bytes = ring->length;
        if (bytes > most_bytes) bytes = most_bytes;
        send_frame(host, kind, ring->data + ring->head, bytes);
        ring->head = (ring->head + bytes) % RING_BYTES;
        ring->length -= bytes;
        most_bytes -= bytes;
    }
}
