const lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const winner = b => { for (const [x, y, z] of lines) if (b[x] && b[x] === b[y] && b[y] === b[z]) return b[x]; return null; };
function minimax(b, p) { const w = winner(b); if (w) return w === 'X' ? 1 : -1; if (b.every(Boolean)) return 0; const s = []; b.forEach((c, i) => { if (!c) { const n = [...b]; n[i] = p; s.push(minimax(n, p === 'X' ? 'O' : 'X')); } }); return p === 'X' ? Math.max(...s) : Math.min(...s); }
console.log(minimax(['X', 'O', 'X', 'O', 'X', null, null, null, 'O'], 'X'));
