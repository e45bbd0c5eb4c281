// attack: has the compiler compute for ever
// must: compile_error
// compile_limits: wall_time_s=3 memory_kib=524288
#![allow(long_running_const_eval)]
const ENDLESS: u64 = {
    let mut count = 0u64;
    loop {
        count = count.wrapping_add(1);
        if count == 0 {
            break;
        }
    }
    count
};
fn main() {
    println!("{}", ENDLESS);
}
