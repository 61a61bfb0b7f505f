const slug = s => s.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const camel = s => s.replace(/[-_](\w)/g, (_, c) => c.toUpperCase());
const snake = s => s.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`);
console.log(slug('Crème Brûlée & Co.'), camel('foo-bar_baz'), snake('fooBarBaz'));
