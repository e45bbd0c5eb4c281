// Holds 100 MiB and big arrays, writes and reads files in /tmp, starts a child and recurses 100,000 calls deep.
const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');

const block = new Uint32Array(25 * 1024 * 1024);
let state = 1;
for (let i = 0; i < block.length; i++) block[i] = state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
console.log('block:', block.reduce((sum, word) => (sum ^ word) >>> 0, 0));
const big = Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 1_000_003);
big.sort((a, b) => a - b);
console.log('array:', big[0], big[500_000], big.at(-1));

const folder = fs.mkdtempSync('/tmp/ordner-');
const file = path.join(folder, 'größe.json');
fs.writeFileSync(file, JSON.stringify({ ü: [1, 2, 3] }));
console.log('file:', JSON.parse(fs.readFileSync(file, 'utf8')), fs.statSync(file).size);
console.log('child:', execFileSync(process.execPath, ['-p', '6 * 7']).toString().trim());

const depth = (levels) => (levels === 0 ? 0 : 1 + depth(levels - 1));
console.log('depth:', depth(100_000));
try {
  depth(-1);
} catch (error) {
  console.log('endless recursion ends:', error instanceof RangeError);
}
