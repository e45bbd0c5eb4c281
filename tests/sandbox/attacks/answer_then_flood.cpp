// attack: gives the right answer, and then more errors than it may write
// must: output_limit
// prints: right
// expects: right
// limits: output_bytes=100000
#include <cstring>
#include <unistd.h>
int main() {
    static char text[200000];
    memset(text, '\n', sizeof text);
    write(1, "right\n", 6);
    write(2, text, sizeof text);
}
