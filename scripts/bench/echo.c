/* As little as a process can do: it prints what it reads. */
#include <unistd.h>

int main(void) {
    char buffer[4096];
    ssize_t got;
    while ((got = read(0, buffer, sizeof buffer)) > 0) {
        if (write(1, buffer, (size_t)got) != got) return 1;
    }
    return got < 0;
}
