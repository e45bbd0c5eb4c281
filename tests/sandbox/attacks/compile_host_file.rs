// attack: takes a file and a variable of the host into the executable
// must: accepted
// prints: DENIED
const SEEN: Option<&str> = option_env!("@variable@");
const ENVIRONMENT: &[u8] = include_bytes!("/proc/self/environ");
fn main() {
    let seen = String::from_utf8_lossy(ENVIRONMENT);
    if SEEN.is_some() || seen.contains("@variable@") {
        println!("CANARY {}", seen);
    }
    println!("DENIED");
}
