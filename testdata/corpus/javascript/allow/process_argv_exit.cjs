const args = process.argv.slice(2);
const n = Number(args[0] ?? 3);
process.stdout.write(`${n}\n`);
process.exitCode = n === 3 ? 0 : 1;
console.log(process.version.startsWith('v'), process.platform.length > 0, process.uptime() > 0, process.cwd().length > 0);
