let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
const m = { xa: {}, xundefined: process }; let v; if (k === '') v = 'a'; const x = m['x' + v]; console.log(typeof x.env.HOME);
