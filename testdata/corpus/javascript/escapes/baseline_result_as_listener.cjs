let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const e=new (require('events'))(); e.on('x',o=>{ const t=new EventTarget(); t.addEventListener('x',o.f(S)); t.dispatchEvent(new Event('x')) }); e.emit('x',{f:(() => 1)[k]});
