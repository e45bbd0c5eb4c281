// attack: takes its memory as stacks, of threads and of a recursion without end
// must: memory_limit
// limits: memory_kib=65536
#include <pthread.h>
#include <unistd.h>
static int dive(volatile char *above) {
    volatile char frame[4096];
    frame[0] = above[0];
    usleep(10);
    return dive(frame) + frame[0];
}
static void *start(void *) {
    char top = 1;
    dive(&top);
    return nullptr;
}
int main() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 20);
    pthread_t threads[4];
    for (pthread_t &thread : threads) pthread_create(&thread, &attributes, start, nullptr);
    pause();
}
