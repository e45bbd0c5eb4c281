// attack: computes for longer than it may, and ignores the signal that usually tells
// must: time_limit
// limits: cpu_time_s=0.3
#include <csignal>
int main() {
    signal(SIGXCPU, SIG_IGN);
    for (volatile long count = 0;; count = count + 1) {}
}
