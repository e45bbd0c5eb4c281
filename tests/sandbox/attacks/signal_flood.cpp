// attack: sends real-time and other signals to the meter, with values, until the queue is full
// must: accepted
// prints: DENIED
#include <csignal>
#include <cstdio>
#include <unistd.h>
int main() {
    for (int round = 0; round < 3000; round++)
        for (int number = 1; number <= 64; number++) sigqueue(1, number, sigval{round});
    puts("DENIED");
}
