function codes(text) {
  const freq = {};
  for (const c of text) freq[c] = (freq[c] || 0) + 1;
  let nodes = Object.entries(freq).map(([c, n]) => ({ c, n }));
  while (nodes.length > 1) { nodes.sort((a, b) => a.n - b.n); const [l, r, ...rest] = nodes; nodes = [...rest, { n: l.n + r.n, l, r }]; }
  const out = {};
  (function walk(node, code) { if (node.c) out[node.c] = code || '0'; else { walk(node.l, code + '0'); walk(node.r, code + '1'); } })(nodes[0], '');
  return out;
}
console.log(codes('abracadabra'));
