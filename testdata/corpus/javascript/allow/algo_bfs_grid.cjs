const grid = ['S.#', '..#', '#.E'].map(r => [...r]);
function solve() {
  const queue = [[0, 0, 0]], seen = new Set(['0,0']);
  while (queue.length) {
    const [r, c, n] = queue.shift();
    if (grid[r][c] === 'E') return n;
    for (const [dr, dc] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      const key = `${r + dr},${c + dc}`;
      if (grid[r + dr]?.[c + dc] && grid[r + dr][c + dc] !== '#' && !seen.has(key)) { seen.add(key); queue.push([r + dr, c + dc, n + 1]); }
    }
  }
  return -1;
}
console.log(solve());
