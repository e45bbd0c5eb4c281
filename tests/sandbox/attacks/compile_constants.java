// attack: constants that double at each step, for the compiler to run out of memory
// must: compile_error
// compile_limits: wall_time_s=6 cpu_time_s=10 memory_kib=524288
public class Main {
    static final String A = "0123456789012345678901234567890123456789012345678901234567890123";
    static final String B = A + A + A + A + A + A + A + A + A + A + A + A + A + A + A + A;
    static final String C = B + B + B + B + B + B + B + B + B + B + B + B + B + B + B + B;
    static final String D = C + C + C + C + C + C + C + C + C + C + C + C + C + C + C + C;
    static final String E = D + D + D + D + D + D + D + D + D + D + D + D + D + D + D + D;
    static final String F = E + E + E + E + E + E + E + E + E + E + E + E + E + E + E + E;
    static final String G = F + F + F + F + F + F + F + F + F + F + F + F + F + F + F + F;
    static final String H = G + G + G + G + G + G + G + G + G + G + G + G + G + G + G + G;

    public static void main(String[] arguments) {
        System.out.println(H.length());
    }
}
