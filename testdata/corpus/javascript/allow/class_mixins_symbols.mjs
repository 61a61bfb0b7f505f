const Comparable = Base => class extends Base { before(o) { return this.valueOf() < o.valueOf(); } };
class Version extends Comparable(Object) {
  constructor(s) { super(); this.parts = s.split('.').map(Number); }
  valueOf() { return this.parts.reduce((n, p) => n * 1000 + p, 0); }
  *[Symbol.iterator]() { yield* this.parts; }
  get [Symbol.toStringTag]() { return 'Version'; }
  static from(s) { return new Version(s); }
}
console.log(Version.from('1.2.3').before(Version.from('1.10.0')), [...Version.from('4.5.6')]);
