const o = { first: 'Ada', last: 'Lovelace', get full() { return `${this.first} ${this.last}`; }, set full(v) { [this.first, this.last] = v.split(' '); } };
o.full = 'Grace Hopper';
Object.freeze(o);
console.log(o.full, Object.isFrozen(o), 'full' in o, delete { x: 1 }.x);
