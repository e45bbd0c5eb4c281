const [count, ...values] = require('fs').readFileSync(0, 'utf8').split(/\s+/).filter(Boolean).map(Number);
let pairs = 0;
for (let i = 0; i < count; i++) {
  for (let j = i + 1; j < count; j++) {
    if (values[i] === values[j]) pairs++;
  }
}
console.log(pairs);
