class Counter {
  static #made = 0;
  static { Counter.label = 'counter'; }
  #n = 0;
  constructor() { Counter.#made++; }
  inc() { this.#n++; return this; }
  get value() { return this.#n; }
  set value(n) { if (n < 0) throw new RangeError('negative'); this.#n = n; }
  static get made() { return Counter.#made; }
  static is(o) { return #n in o; }
}
const c = new Counter().inc().inc();
c.value = 10;
console.log(c.value, Counter.made, Counter.is(c), Counter.label);
