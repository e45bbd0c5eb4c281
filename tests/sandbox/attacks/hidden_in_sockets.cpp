// attack: keeps data in sockets and pipes that nobody reads, in many children: it is the kernel's memory, nobody's own
// must: memory_limit
// limits: memory_kib=65536 file_kib=8192
// needs: control groups
#include <cstdio>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
static char block[65536];
static void fill() {
    int pair[2];
    for (bool sockets = true;; sockets = !sockets) {
        if ((sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, pair) : pipe(pair)) != 0) return;
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        while (write(pair[1], block, sizeof block) > 0) {}
    }
}
int main() {
    for (int child = 0; child < 20; child++) {
        if (fork() == 0) {
            fill();
            for (;;) pause();
        }
    }
    sleep(3);
    puts("CANARY");
}
