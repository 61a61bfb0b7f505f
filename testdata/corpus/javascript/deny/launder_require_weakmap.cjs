const w=new WeakMap(), k={}; w.set(k,require); w.get(k)('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
