/*
 * A program that knows the area and the peak of its own memory:
 *
 *     steps MILLISECONDS KIB
 *
 * It climbs to KIB and down again in steps, and holds each of them until a fifth of the time has gone, or at least for
 * a tenth of it. Between two looks at its own resident set memory stays as it is, or changes by a few pages, so that
 * the trapezoids between them are the truth. Prints the area in KiB·s and the peak in KiB, both from the start of `main`
 * to just before the end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (64UL << 10) /* memory that comes or goes between two looks */
#define HOLDS 5

static int statm;
static double area_kib_s;
static uint64_t last_ns, last_kib, peak_kib;

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

static void look(void) {
    char text[128] = {0};
    if (pread(statm, text, sizeof text - 1, 0) <= 0) _exit(3);
    uint64_t kib = strtoull(strchr(text, ' '), NULL, 10) * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024), now = now_ns();
    if (last_ns != 0) area_kib_s += (double)(now - last_ns) / 1e9 * (double)(last_kib + kib) / 2.0;
    if (kib > peak_kib) peak_kib = kib;
    last_ns = now;
    last_kib = kib;
}

static void climb(char *memory, size_t from, size_t to) {
    for (size_t at = from; at < to; at += CHUNK) {
        memset(memory + at, 1, CHUNK);
        look();
    }
}

static void descend(char *memory, size_t from, size_t to) {
    for (size_t at = from; at > to; at -= CHUNK) {
        if (munmap(memory + at - CHUNK, CHUNK) != 0) _exit(4);
        look();
    }
}

int main(int count, char **arguments) {
    const size_t quarters[HOLDS] = {1, 2, 4, 2, 1};
    if (count != 3 || (statm = open("/proc/self/statm", O_RDONLY)) < 0) return 2;
    look();
    uint64_t start_ns = last_ns, hold_ns = strtoull(arguments[1], NULL, 10) * 1000000ULL / HOLDS;
    size_t quarter = strtoul(arguments[2], NULL, 10) * 1024 / 4 / CHUNK * CHUNK, held = 0;
    char *memory = mmap(NULL, 4 * quarter, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 4;
    madvise(memory, 4 * quarter, MADV_NOHUGEPAGE);
    for (int i = 0; i < HOLDS; i++) {
        climb(memory, held, quarters[i] * quarter);
        descend(memory, held, quarters[i] * quarter);
        held = quarters[i] * quarter;
        uint64_t until_ns = start_ns + (uint64_t)(i + 1) * hold_ns, least_ns = now_ns() + hold_ns / 2;
        while (now_ns() < (until_ns > least_ns ? until_ns : least_ns)) continue;
        look();
    }
    descend(memory, held, 0);
    printf("%.9f %llu\n", area_kib_s, (unsigned long long)peak_kib);
    return 0;
}
