// attack: takes what the compiler sees of its own environment, command line and meter into the executable
// must: accepted
// prints: DENIED
#include <cstdio>
#include <cstring>
__asm__(".data\nseen: .incbin \"/proc/self/environ\"\n.incbin \"/proc/self/cmdline\"\n.incbin \"/proc/self/mountinfo\"\nend: .byte 0");
extern char seen[], end[];
int main() {
    const char *wanted[] = {"@variable@", "CANARY-"};
    for (const char *word : wanted)
        if (memmem(seen, end - seen, word, strlen(word)) != nullptr) puts("CANARY");
    puts("DENIED");
}
