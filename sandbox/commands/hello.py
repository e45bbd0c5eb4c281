"""The smallest program of each language that shows that its toolchain works: it prints `hello`."""

from __future__ import annotations

HELLO = {
    "python": 'print("hello")\n',
    "cpp": '#include <iostream>\nint main() { std::cout << "hello\\n"; }\n',
    "java": 'public class Main { public static void main(String[] a) { System.out.println("hello"); } }\n',
    "javascript": 'console.log("hello")\n',
    "go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n',
    "ruby": 'puts "hello"\n',
    "rust": 'fn main() { println!("hello"); }\n',
}
EXPECTED = b"hello\n"
