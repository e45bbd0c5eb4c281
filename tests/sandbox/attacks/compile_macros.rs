// attack: a macro that calls itself with twice the text
// must: compile_error
// compile_limits: wall_time_s=3 memory_kib=524288
#![recursion_limit = "100000"]
macro_rules! double {
    ($($text:tt)*) => { double!($($text)* $($text)*) };
}
fn main() {
    double!(1 + 1);
}
