const deps = { app: ['lib', 'log'], lib: ['core'], log: ['core'], core: [] };
const order = [], state = {};
function visit(n) {
  if (state[n] === 'done') return;
  if (state[n] === 'open') throw new Error(`cycle at ${n}`);
  state[n] = 'open';
  deps[n].forEach(visit);
  state[n] = 'done';
  order.push(n);
}
Object.keys(deps).forEach(visit);
console.log(order);
