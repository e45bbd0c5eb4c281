// attack: includes itself, twice at each level
// must: compile_error
// compile_limits: wall_time_s=2 memory_kib=262144
#include __FILE__
#include __FILE__
int main() {}
