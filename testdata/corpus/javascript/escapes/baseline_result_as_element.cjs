let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const e=new (require('events'))(); e.on('x',o=>{ o[0]=o.f(S); o[0]() }); e.emit('x',{f:(() => 1)[k]});
