const render = (tpl, vars) => tpl.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => name in vars ? vars[name] : '');
console.log(render('Dear {{ name }}, you owe {{amount}}.', { name: 'Ann', amount: '10 EUR' }));
