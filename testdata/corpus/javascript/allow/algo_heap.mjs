class Heap {
  constructor(less = (a, b) => a < b) { this.items = []; this.less = less; }
  push(x) {
    const h = this.items;
    h.push(x);
    for (let i = h.length - 1, p; i > 0 && this.less(h[i], h[p = (i - 1) >> 1]); i = p) [h[i], h[p]] = [h[p], h[i]];
    return this;
  }
  pop() {
    const h = this.items, top = h[0], last = h.pop();
    if (h.length) {
      h[0] = last;
      for (let i = 0; ;) {
        let c = 2 * i + 1;
        if (c >= h.length) break;
        if (c + 1 < h.length && this.less(h[c + 1], h[c])) c++;
        if (!this.less(h[c], h[i])) break;
        [h[i], h[c]] = [h[c], h[i]];
        i = c;
      }
    }
    return top;
  }
}
const h = new Heap();
[5, 3, 8, 1].forEach(x => h.push(x));
console.log(h.pop(), h.pop(), h.pop());
