const c = new AbortController();
const wait = signal => new Promise((ok, no) => signal.addEventListener('abort', () => no(signal.reason), { once: true }));
queueMicrotask(() => c.abort(new Error('stop')));
await wait(c.signal).catch(e => console.log(e.message));
