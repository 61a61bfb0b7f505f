function debounce(fn, ms) { let t; return function (...args) { clearTimeout(t); t = setTimeout(() => fn.apply(this, args), ms); }; }
const log = debounce(x => console.log('last', x), 2);
[1, 2, 3].forEach(x => log(x));
