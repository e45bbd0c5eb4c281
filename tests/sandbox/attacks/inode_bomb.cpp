// attack: makes empty files for ever, which take the kernel's memory though none of the folder's size
// must: runtime_error
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
int main() {
    char name[64];
    for (long number = 0;; number++) {
        snprintf(name, sizeof name, "/tmp/%ld", number);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
}
