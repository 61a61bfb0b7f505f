export class Bus {
  #handlers = new Map();
  on(type, fn) { if (!this.#handlers.has(type)) this.#handlers.set(type, new Set()); this.#handlers.get(type).add(fn); return () => this.off(type, fn); }
  off(type, fn) { this.#handlers.get(type)?.delete(fn); }
  emit(type, ...args) { for (const fn of this.#handlers.get(type) ?? []) fn(...args); }
}
const bus = new Bus(), off = bus.on('hi', n => console.log('hi', n));
bus.emit('hi', 1); off(); bus.emit('hi', 2);
