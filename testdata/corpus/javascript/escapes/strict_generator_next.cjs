let k = "";
for (const c of process.title.length > 0 ? [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114] : []) k += String.fromCharCode(c);
const code = process.argv[8] || ["console.lo", "g(1041)"].join("");
function* g(){ const x = yield 1; x(code)() } const it=g(); it.next(); it.next((()=>1)[k]);
