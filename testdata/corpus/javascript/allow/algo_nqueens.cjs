function queens(n, row = 0, cols = [], out = []) {
  if (row === n) out.push([...cols]);
  else for (let c = 0; c < n; c++)
    if (cols.every((x, r) => x !== c && Math.abs(x - c) !== row - r)) { cols.push(c); queens(n, row + 1, cols, out); cols.pop(); }
  return out;
}
console.log(queens(6).length);
