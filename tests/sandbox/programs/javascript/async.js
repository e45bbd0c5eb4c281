// Waits for timers, promises, streams, compression in the thread pool, and a worker thread.
const { Worker } = require('worker_threads');
const { EventEmitter, once } = require('events');
const { promisify } = require('util');
const crypto = require('crypto');
const zlib = require('zlib');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function* numbers(limit) {
  for (let number = 0; number < limit; number++) {
    await null;
    yield number;
  }
}

async function main() {
  const order = [];
  await Promise.all([5, 3, 1].map(async (ms) => { await sleep(20 * ms); order.push(ms); }));
  console.log('timers:', order.join(' '));
  let sum = 0;
  for await (const number of numbers(1000)) sum += number;
  console.log('generator:', sum);
  const [won, lost] = await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no'))]);
  console.log('settled:', won.value, lost.reason.message);
  const packed = await Promise.all(Array.from({ length: 8 }, () => promisify(zlib.gzip)('x'.repeat(100000))));
  const unpacked = await promisify(zlib.gunzip)(packed[7]);
  console.log('zlib:', unpacked.length, crypto.createHash('sha256').update(unpacked).digest('hex').slice(0, 16));
  const code = `const { parentPort } = require('worker_threads');
    let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; parentPort.postMessage(sum);`;
  const [answer] = await once(new Worker(code, { eval: true }), 'message');
  console.log('worker:', answer);
  const emitter = new EventEmitter();
  setImmediate(() => emitter.emit('done', 42));
  console.log('event:', (await once(emitter, 'done'))[0]);
}

main();
