class Parser {
  #tokens; #pos = 0;
  constructor(text) { this.#tokens = text.match(/\d+|\S/g) ?? []; }
  #peek() { return this.#tokens[this.#pos]; }
  #take() { return this.#tokens[this.#pos++]; }
  expr() { let v = this.term(); while ('+-'.includes(this.#peek() ?? ' ')) v = this.#take() === '+' ? v + this.term() : v - this.term(); return v; }
  term() { let v = this.atom(); while ('*/'.includes(this.#peek() ?? ' ')) v = this.#take() === '*' ? v * this.atom() : v / this.atom(); return v; }
  atom() { const t = this.#take(); if (t === '(') { const v = this.expr(); this.#take(); return v; } return Number(t); }
}
console.log(new Parser('1+2*(3-4)').expr());
