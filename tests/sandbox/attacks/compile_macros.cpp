// attack: macros that double the text at each level, for the compiler to run out of memory or time
// must: compile_error
// compile_limits: wall_time_s=2 memory_kib=262144
#define A(x) x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
#define D(x) C(C(C(x)))
int main() { return 0 D(+1); }
