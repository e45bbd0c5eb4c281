// attack: has the compiler print megabytes
// must: compile_error
// compile_limits: wall_time_s=5 memory_kib=524288 output_bytes=1048576
#define A _Pragma("message \"a message of some length, so that the flood gets wide as well as long, and does not end\"")
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
E E E E E
int main() {}
