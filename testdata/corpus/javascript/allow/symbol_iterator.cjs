const range = { from: 1, to: 4, [Symbol.iterator]() { let n = this.from, end = this.to; return { next: () => n <= end ? { value: n++, done: false } : { value: undefined, done: true } }; } };
console.log([...range], Math.max(...range), Array.from(range, x => x * 2));
