// Reads text and counts its words, with the collections, iterators and traits of the standard library.
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};
use std::fmt;
use std::io::{self, Read};

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Square(f64),
    Circle { radius: f64 },
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Shape::Square(side) => write!(out, "square of {:.2}", side * side),
            Shape::Circle { radius } => write!(out, "circle of {:.2}", std::f64::consts::PI * radius * radius),
        }
    }
}

fn parse(text: &str) -> Result<i32, std::num::ParseIntError> {
    Ok(text.trim().parse::<i32>()? * 2)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(word, count)| (Reverse(**count), word.to_string()));
    for (word, count) in sorted.iter().take(3) {
        println!("{word}: {count}");
    }
    let mut heap: BinaryHeap<_> = [5, 1, 4, 2, 3].into_iter().map(Reverse).collect();
    let mut order = VecDeque::new();
    while let Some(Reverse(number)) = heap.pop() {
        order.push_back(number);
    }
    let lengths: HashMap<&str, usize> = ["ein", "zwei"].iter().map(|word| (*word, word.len())).collect();
    let unique: HashSet<i32> = (0..100).map(|n| n % 7).collect();
    println!("{order:?} {} {}", lengths["zwei"], unique.len());
    println!("{} {} {:?} {}", Shape::Square(1.5), Shape::Circle { radius: 1.0 }, parse("21"), parse("x").is_err());
    println!("{}", (1..=30u128).product::<u128>());
    println!("größer als erlaubt: 日本語 ✓ 🎉 {}", "naïve".chars().rev().collect::<String>());
    Ok(())
}
