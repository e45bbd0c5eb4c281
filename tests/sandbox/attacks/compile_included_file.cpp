// attack: includes a file of the host, whose text the compiler would show in its message
// must: compile_error
#include "@host_file@"
int main() {}
