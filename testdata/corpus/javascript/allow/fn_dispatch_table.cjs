const commands = { add: (a, b) => a + b, sub: (a, b) => a - b, help: () => Object.keys(commands).join(' ') };
function run(line) { const [name, ...args] = line.split(' '); const fn = commands[name]; return fn ? fn(...args.map(Number)) : `unknown ${name}`; }
console.log(run('add 1 2'), run('help'), run('nope'));
