const step = cells => {
  const counts = {};
  for (const k of cells) { const [x, y] = k.split(',').map(Number); for (let i = -1; i < 2; i++) for (let j = -1; j < 2; j++) if (i || j) { const n = `${x + i},${y + j}`; counts[n] = (counts[n] || 0) + 1; } }
  return new Set(Object.entries(counts).filter(([k, n]) => n === 3 || n === 2 && cells.has(k)).map(([k]) => k));
};
console.log([...step(new Set(['0,1', '1,1', '2,1']))].sort());
