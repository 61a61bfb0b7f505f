function Animal(name) { if (!(this instanceof Animal)) return new Animal(name); this.name = name; }
Animal.prototype.speak = function () { return this.name + ' makes a sound'; };
function Dog(name) { Animal.call(this, name); }
Dog.prototype = Object.create(Animal.prototype, { kind: { value: 'dog' } });
Dog.prototype.speak = function () { return Animal.prototype.speak.call(this) + ': woof'; };
console.log(new Dog('Rex').speak(), new Dog('x').kind);
