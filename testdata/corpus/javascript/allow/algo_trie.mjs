class Trie {
  root = {};
  add(word) { let n = this.root; for (const c of word) n = n[c] ??= {}; n.end = true; return this; }
  has(word) { let n = this.root; for (const c of word) if (!(n = n[c])) return false; return !!n.end; }
}
console.log(new Trie().add('car').add('cart').has('car'));
