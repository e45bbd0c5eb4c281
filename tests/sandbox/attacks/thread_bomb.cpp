// attack: starts threads for ever
// must: runtime_error
#include <pthread.h>
#include <unistd.h>
static void *wait_forever(void *) {
    for (;;) pause();
}
int main() {
    pthread_t thread;
    for (;;)
        if (pthread_create(&thread, nullptr, wait_forever, nullptr) != 0) usleep(1000);
}
