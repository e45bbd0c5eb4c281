// Reads text and counts its words, with Map, Set, BigInt, regular expressions and non-ASCII output.
const fs = require('fs');
const util = require('util');

class Counter extends Map {
  add(key) {
    this.set(key, (this.get(key) ?? 0) + 1);
    return this;
  }
}

const text = fs.readFileSync(0, 'utf8');
const counts = new Counter();
for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) counts.add(word);
const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
for (const [word, count] of sorted.slice(0, 3)) console.log(`${word}: ${count}`);
let factorial = 1n;
for (let number = 2n; number <= 30n; number++) factorial *= number;
console.log(String(factorial), new Set([1, 2, 2, 3]).size, util.inspect({ a: [1, { b: 2 }] }));
const { length, ...rest } = { length: 3, width: 4, height: 5 };
console.log(length, JSON.stringify(rest), new Date(Date.UTC(2024, 1, 29)).toISOString());
try {
  null.property;
} catch (error) {
  console.log(error instanceof TypeError, 'größer als erlaubt: 日本語 ✓ 🎉');
}
