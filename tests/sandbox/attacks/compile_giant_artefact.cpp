// attack: a program of a few bytes whose executable has a gigabyte
// must: compile_error
// compile_limits: wall_time_s=4 memory_kib=524288 file_kib=65536
__asm__(".data\n.globl giant\ngiant: .byte 1\n.zero 1073741824");
extern char giant[];
int main() { return giant[0]; }
