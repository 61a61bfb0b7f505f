for(const r of new Set([require])) r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
