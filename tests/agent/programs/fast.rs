use std::collections::HashMap;
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut seen: HashMap<i64, i64> = HashMap::new();
    let mut pairs = 0;
    for word in text.split_whitespace().skip(1) {
        let before = seen.entry(word.parse().unwrap()).or_insert(0);
        pairs += *before;
        *before += 1;
    }
    println!("{}", pairs);
}
