// attack: includes a file of the host, whose text the compiler would show in its message
// must: compile_error
include!("@host_file@");
const TEXT: &str = include_str!("@host_file@");
#[path = "@host_file@"]
mod secret;
fn main() {
    println!("{}", TEXT);
}
