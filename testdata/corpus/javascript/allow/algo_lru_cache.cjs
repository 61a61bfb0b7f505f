class LRU {
  constructor(limit) { this.limit = limit; this.map = new Map(); }
  get(k) { if (!this.map.has(k)) return; const v = this.map.get(k); this.map.delete(k); this.map.set(k, v); return v; }
  set(k, v) { this.map.delete(k); this.map.set(k, v); if (this.map.size > this.limit) this.map.delete(this.map.keys().next().value); return this; }
}
const c = new LRU(2).set('a', 1).set('b', 2);
c.get('a'); c.set('c', 3);
console.log([...c.map.keys()]);
