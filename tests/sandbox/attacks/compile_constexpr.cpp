// attack: has the compiler compute for ever
// must: compile_error
// compile_limits: wall_time_s=2 memory_kib=262144
constexpr long spin(long count) {
    long sum = 0;
    for (long i = 0; i < 200000; i++) sum += count ^ i;
    return sum;
}
template <long... counts> struct All {
    static constexpr long sum = (spin(counts) + ...);
};
#define TEN(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7, x##8, x##9
#define HUNDRED(x) TEN(x##0), TEN(x##1), TEN(x##2), TEN(x##3), TEN(x##4), TEN(x##5), TEN(x##6), TEN(x##7)
int main() { return All<HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4), HUNDRED(5)>::sum > 0; }
