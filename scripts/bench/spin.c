/*
 * A program that knows the CPU time that it has used:
 *
 *     spin for MILLISECONDS     until its own clock says that it has used as much
 *     spin work ROUNDS          always the same work: arithmetic, and reads all over 4 MiB
 *
 * Prints the CPU time since the start of `main`, nanoseconds, just before the end.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS (1UL << 19)
#define STEPS_OF_A_ROUND (1UL << 18)

static uint64_t table[WORDS];

static uint64_t used_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

static uint64_t work(uint64_t rounds) {
    uint64_t state = 88172645463325252ULL, sum = 0;
    for (uint64_t i = 0; i < rounds * STEPS_OF_A_ROUND; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += table[state % WORDS] ^= state;
    }
    return sum;
}

int main(int count, char **arguments) {
    uint64_t start_ns = used_ns(), sum = 0;
    if (count != 3) return 2;
    uint64_t amount = strtoull(arguments[2], NULL, 10);
    if (strcmp(arguments[1], "work") == 0) {
        sum = work(amount);
    } else {
        while (used_ns() - start_ns < amount * 1000000ULL) continue;
    }
    uint64_t all_ns = used_ns() - start_ns;
    printf("%llu %llu\n", (unsigned long long)all_ns, (unsigned long long)sum);
    return 0;
}
