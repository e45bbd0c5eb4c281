const [count, ...values] = require('fs').readFileSync(0, 'utf8').split(/\s+/).filter(Boolean).map(Number);
const seen = new Map();
let pairs = 0;
for (const value of values) {
  const before = seen.get(value) || 0;
  pairs += before;
  seen.set(value, before + 1);
}
console.log(pairs);
