class Shape { constructor(name) { this.name = name; } area() { return 0; } toString() { return `${this.constructor.name} ${this.name}: ${this.area().toFixed(2)}`; } }
class Circle extends Shape { constructor(r) { super('round'); this.r = r; } area() { return Math.PI * this.r ** 2; } }
class Square extends Shape { #side; constructor(s) { super('even'); this.#side = s; } area() { return this.#side ** 2; } static unit() { return new Square(1); } }
for (const s of [new Circle(2), Square.unit()]) console.log(`${s}`);
