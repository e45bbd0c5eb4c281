// attack: prints for ever, on both outputs
// must: output_limit
#include <unistd.h>
int main() {
    static char text[65536];
    for (;;) {
        write(1, text, sizeof text);
        write(2, text, sizeof text);
    }
}
