let k = ''; for (const p of JSON.parse('["con","structor"]').map(x => x)) k += p;
const S = ["console.lo", "g(1041)"].join("");
Promise.resolve({f:(() => 1)[k]}).finally(()=>1).then(o=>{ require('async_hooks').AsyncResource.bind(o.f)(S)() });
