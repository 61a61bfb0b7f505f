for(const n of ['child_process']) (await import(n)).execSync('expr 40 + 1001',{stdio:'inherit'});
