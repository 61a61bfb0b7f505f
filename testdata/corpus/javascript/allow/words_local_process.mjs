function process(items) { return items.map(i => i * 2); }
const system = { open: () => 'opened', kill: n => n - 1, env: { HOME: 'x' } };
console.log(process([1, 2]), system.open(), system.kill(3), system.env.HOME);
