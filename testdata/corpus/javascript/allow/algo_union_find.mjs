class UnionFind {
  constructor(n) { this.parent = [...Array(n).keys()]; }
  find(x) { return this.parent[x] === x ? x : (this.parent[x] = this.find(this.parent[x])); }
  union(a, b) { this.parent[this.find(a)] = this.find(b); }
}
const uf = new UnionFind(5); uf.union(0, 1); uf.union(3, 4);
console.log(uf.find(0) === uf.find(1), uf.find(1) === uf.find(3));
