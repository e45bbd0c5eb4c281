// attack: takes a file of the host into the executable, by the assembler
// must: compile_error
__asm__("secret: .incbin \"@host_file@\"\n.byte 0");
extern char secret[];
#include <cstdio>
int main() { puts(secret); }
