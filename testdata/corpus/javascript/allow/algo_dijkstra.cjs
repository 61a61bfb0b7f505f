const graph = { a: { b: 7, c: 9, f: 14 }, b: { c: 10, d: 15 }, c: { d: 11, f: 2 }, d: { e: 6 }, e: {}, f: { e: 9 } };
function dijkstra(start) {
  const dist = Object.fromEntries(Object.keys(graph).map(k => [k, Infinity])), seen = new Set();
  dist[start] = 0;
  while (seen.size < Object.keys(graph).length) {
    const u = Object.keys(dist).filter(k => !seen.has(k)).sort((x, y) => dist[x] - dist[y])[0];
    seen.add(u);
    for (const [v, w] of Object.entries(graph[u])) dist[v] = Math.min(dist[v], dist[u] + w);
  }
  return dist;
}
console.log(dijkstra('a'));
