// attack: takes memory as fast as it can
// must: memory_limit
#include <cstdlib>
#include <cstring>
int main() {
    for (;;) {
        void *block = malloc(16 << 20);
        if (block != nullptr) memset(block, 1, 16 << 20);
    }
}
