// attack: raises its own limits, those of the meter, and the share of the processor that it gets
// must: accepted
// prints: DENIED
#include <cstdio>
#include <initializer_list>
#include <sys/resource.h>
int main() {
    for (int kind : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_MSGQUEUE}) {
        rlimit limit;
        getrlimit((__rlimit_resource)kind, &limit);
        rlimit more = {limit.rlim_max + 1, limit.rlim_max + 1}, unlimited = {RLIM_INFINITY, RLIM_INFINITY};
        if (limit.rlim_max == RLIM_INFINITY) printf("CANARY there is no limit %d\n", kind);
        if (setrlimit((__rlimit_resource)kind, &more) == 0) printf("CANARY setrlimit %d\n", kind);
        if (setrlimit((__rlimit_resource)kind, &unlimited) == 0) printf("CANARY setrlimit %d\n", kind);
        if (prlimit(0, (__rlimit_resource)kind, &unlimited, nullptr) == 0) printf("CANARY prlimit %d\n", kind);
        rlimit low = {1, 1};
        if (prlimit(1, (__rlimit_resource)kind, &low, nullptr) == 0) printf("CANARY the meter's %d\n", kind);
        if (prlimit(1, (__rlimit_resource)kind, nullptr, &low) == 0) printf("CANARY saw the meter's %d\n", kind);
    }
    puts("DENIED");
}
