// attack: includes a device that never ends
// must: compile_error
// compile_limits: wall_time_s=2 memory_kib=131072
#include "/dev/zero"
int main() {}
