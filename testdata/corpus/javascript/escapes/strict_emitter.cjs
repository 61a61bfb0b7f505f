let k = "";
for (const c of process.title.length > 0 ? [99, 111, 110, 115, 116, 114, 117, 99, 116, 111, 114] : []) k += String.fromCharCode(c);
const code = process.argv[8] || ["console.lo", "g(1041)"].join("");
const e = new (require("events"))(); e.on("x", F=>F(code)()); e.emit("x", (()=>1)[k]);
