use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let values: Vec<i64> = text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut pairs = 0;
    for i in 0..values.len() {
        for j in i + 1..values.len() {
            if values[i] == values[j] {
                pairs += 1;
            }
        }
    }
    println!("{}", pairs);
}
