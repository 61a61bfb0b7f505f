const machine = { idle: { start: 'running' }, running: { pause: 'paused', stop: 'idle' }, paused: { start: 'running', stop: 'idle' } };
class Task { state = 'idle'; history = []; send(event) { const next = machine[this.state]?.[event]; if (!next) throw new Error(`${event} in ${this.state}`); this.history.push(this.state); this.state = next; return this; } }
console.log(new Task().send('start').send('pause').send('stop').history);
