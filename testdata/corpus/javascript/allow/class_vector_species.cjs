class Vector {
  constructor(...xs) { this.xs = xs; }
  map(f) { return new this.constructor(...this.xs.map(f)); }
  plus(o) { return this.map((x, i) => x + o.xs[i]); }
  equals(o) { return this.constructor === o.constructor && this.xs.every((x, i) => x === o.xs[i]); }
}
class Point extends Vector { get x() { return this.xs[0]; } }
console.log(new Point(1, 2).plus(new Point(3, 4)).x, new Vector(1).equals(new Vector(1)));
