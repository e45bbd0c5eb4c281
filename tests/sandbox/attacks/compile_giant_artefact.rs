// attack: a program of a few bytes whose executable has a gigabyte
// must: compile_error
// compile_limits: wall_time_s=5 memory_kib=524288
static GIANT: [u8; 1 << 30] = [1; 1 << 30];
fn main() {
    let at = std::env::args().count();
    println!("{}", GIANT[at]);
}
