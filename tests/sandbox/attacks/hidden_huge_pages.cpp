// attack: takes huge pages, which are in no resident set and in no memory group
// must: accepted
// prints: DENIED
#include <cstdio>
#include <initializer_list>
#include <sys/mman.h>
int main() {
    for (int bits : {0, 21, 30}) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | bits << MAP_HUGE_SHIFT;
        if (mmap(nullptr, 1L << 30, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) puts("CANARY");
    }
    puts("DENIED");
}
