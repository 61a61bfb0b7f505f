const compile = tpl => { const parts = tpl.split(/\{(\w+)\}/); return data => parts.map((p, i) => i % 2 ? data[p] : p).join(''); };
const run = compile('Hi {name}!');
console.log(run({ name: 'Bo' }));
