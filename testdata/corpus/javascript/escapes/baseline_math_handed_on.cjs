let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const e=new (require('events'))(); e.on('x',m=>{m.floor=()=>k}); e.emit('x',Math); (()=>1)[Math.floor(1.5)](S)();
