// attack: templates that need twice as many others at each level, for the compiler to run out of memory or time
// must: compile_error
// compile_limits: wall_time_s=2 memory_kib=262144
template <int depth, long way> struct Tree {
    static const long size = Tree<depth - 1, 2 * way>::size + Tree<depth - 1, 2 * way + 1>::size;
};
template <long way> struct Tree<0, way> {
    static const long size = 1;
};
int main() { return Tree<40, 1>::size; }
