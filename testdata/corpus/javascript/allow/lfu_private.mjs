// A cache that keeps a Map of its own class in a private field.
class FrequencyMap extends Map {
  refresh(node) {
    this.get(node.frequency)?.delete(node);
    node.frequency++;
    this.insert(node);
  }

  insert(node) {
    if (!this.has(node.frequency)) this.set(node.frequency, new Set());
    this.get(node.frequency).add(node);
  }
}

class Cache {
  #frequencies = new FrequencyMap();
  hits = 0;
  misses = 0;
  cache = new Map();

  get(key) {
    if (this.cache.has(key)) {
      const node = this.cache.get(key);
      this.#frequencies.refresh(node);
      this.hits++;
      return node.value;
    }
    this.misses++;
    return null;
  }

  set(key, value, frequency = 1) {
    const node = { key, value, frequency };
    this.cache.set(key, node);
    this.#frequencies.insert(node);
    return this;
  }

  parse(json) {
    const { misses, hits, cache } = JSON.parse(json);
    this.misses += misses ?? 0;
    this.hits += hits ?? 0;
    for (const key in cache) {
      const { value, frequency } = cache[key];
      this.set(key, value, frequency);
    }
    return this;
  }

  toString(indent) {
    const replacer = (_, value) => (value instanceof Map ? Object.fromEntries(value) : value);
    return JSON.stringify(this, replacer, indent);
  }
}

const cache = new Cache().set('a', 1).parse('{"misses":1,"cache":{"b":{"value":2,"frequency":1}}}');
console.log(cache.get('a'), cache.get('b'), cache.get('c'), cache.toString(2).length);
