// attack: takes memory outside of the heap that its engine limits
// must: memory_limit
const kept = [];
for (;;) kept.push(Buffer.alloc(16 << 20, 1));
