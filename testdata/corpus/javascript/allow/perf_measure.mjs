import { performance } from 'node:perf_hooks';
const t0 = performance.now(); let s = 0; for (let i = 0; i < 1e5; i++) s += i;
console.log(s, performance.now() - t0 >= 0, typeof process.hrtime.bigint(), process.memoryUsage().heapUsed > 0);
