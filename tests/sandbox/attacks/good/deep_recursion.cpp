// attack: uses 50 MiB of the first thread's stack
// must: accepted
// prints: 500000
#include <cstdio>
static int depth(int level) {
    volatile char room[64] = {};
    room[level % 64] = 1;
    return level == 500000 ? level : depth(level + 1) + room[0] * 0;
}
int main() { printf("%d\n", depth(0)); }
