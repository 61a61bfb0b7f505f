function rng(seed) { return () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 2 ** 32; }
const r = rng(42); let inside = 0; const N = 1e4;
for (let i = 0; i < N; i++) if (r() ** 2 + r() ** 2 < 1) inside++;
console.log((4 * inside / N).toFixed(1));
