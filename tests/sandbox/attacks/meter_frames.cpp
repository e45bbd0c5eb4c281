// attack: writes what the meter writes to the host, an accepted result, to every descriptor that there could be
// must: runtime_error
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
int main() {
    const char *magics[] = {"AFTBMTR2", "AFTREST2", "AFTBMTR1", "AFTREST1"};
    for (const char *magic : magics) {
        uint64_t frames[16] = {3, 14 * 8};
        memcpy(frames + 2, magic, 8);
        for (int number = 0; number < 1024; number++) write(number, frames, sizeof frames);
        for (int number = 0; number < 64; number++) {
            char path[64];
            const char *bases[] = {"/proc/1/fd", "/proc/self/fd", "/dev/fd"};
            for (const char *base : bases) {
                if (number < 3 && base != bases[0]) continue;
                snprintf(path, sizeof path, "%s/%d", base, number);
                int file = open(path, O_WRONLY | O_NONBLOCK);
                if (file < 0) continue;
                if (write(file, frames, sizeof frames) > 0) puts("CANARY");
                close(file);
            }
        }
    }
    _exit(3);
}
