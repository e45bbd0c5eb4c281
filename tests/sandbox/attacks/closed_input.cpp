// attack: closes its input after one byte of 8 MiB, so that writing it raises a signal
// must: accepted
// prints: x
// stdin: 8388608
#include <cstdio>
#include <unistd.h>
int main() {
    char first;
    if (read(0, &first, 1) != 1) return 1;
    close(0);
    usleep(20000);
    printf("%c\n", first);
}
