// Holds 100 MiB, writes and reads files in /tmp, starts a child and recurses 400,000 calls deep.
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::Command;

fn depth(levels: u32) -> u32 {
    if black_box(levels) == 0 { 0 } else { 1 + depth(levels - 1) }
}

fn main() -> std::io::Result<()> {
    let mut state = 1u32;
    let block: Vec<u32> = (0..25 * 1024 * 1024)
        .map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state
        })
        .collect();
    println!("block: {}", block.iter().fold(0, |sum, word| sum ^ word));

    fs::create_dir_all("/tmp/ordner/tief")?;
    let mut file = BufWriter::new(File::create("/tmp/ordner/tief/größe.txt")?);
    for number in 0..1000 {
        writeln!(file, "{number} Zeile")?;
    }
    file.flush()?;
    let lines = BufReader::new(File::open("/tmp/ordner/tief/größe.txt")?).lines().count();
    println!("file: {} {}", lines, fs::metadata("/tmp/ordner/tief/größe.txt")?.len());
    let child = Command::new("/bin/sh").args(["-c", "echo $((6 * 7))"]).output()?;
    println!("child: {}", String::from_utf8_lossy(&child.stdout).trim());
    println!("depth: {}", depth(400_000));
    Ok(())
}
