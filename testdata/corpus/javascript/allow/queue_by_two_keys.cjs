// Jobs wait by kind and by name, and listeners hear of each.
class Queues {
  #waiting = {};
  #listeners = [];

  add(kind, name, job) {
    this.#waiting[kind] ??= {};
    this.#waiting[kind][name] ??= [];
    this.#waiting[kind][name].push(job);
  }

  onDone(listener) {
    this.#listeners.push(listener);
  }

  run(kind, name) {
    const jobs = this.#waiting[kind]?.[name] ?? [];
    while (jobs.length > 0) {
      const result = jobs.shift()();
      this.#listeners.forEach(listener => listener(kind, name, result));
    }
  }
}

const queues = new Queues();
queues.onDone((kind, name, result) => console.log(kind, name, result));
for (const [kind, name] of [['mail', 'send'], ['mail', 'sort']]) queues.add(kind, name, () => `${kind}: ${name}`);
queues.run('mail', 'send');
queues.run('mail', 'sort');
