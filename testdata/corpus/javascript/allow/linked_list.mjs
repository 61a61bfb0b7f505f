class Node { constructor(value, next = null) { this.value = value; this.next = next; } }
class List { head = null; add(v) { this.head = new Node(v, this.head); return this; } reverse() { let prev = null, cur = this.head; while (cur) [cur.next, prev, cur] = [prev, cur, cur.next]; this.head = prev; return this; } *[Symbol.iterator]() { for (let n = this.head; n; n = n.next) yield n.value; } }
console.log([...new List().add(1).add(2).add(3).reverse()]);
