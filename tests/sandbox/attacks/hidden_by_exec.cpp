// attack: takes memory for a moment, then becomes another program, whose account begins anew
// must: memory_limit
// limits: memory_kib=65536
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "other") == 0) return puts("done") < 0;
    volatile char *kept = static_cast<char *>(malloc(100 << 20));
    for (long at = 0; at < 100 << 20; at += 4096) kept[at] = 1;
    execl(arguments[0], arguments[0], "other", nullptr);
}
