function* g(){ const r=yield; r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) } const i=g(); i.next(); i.next(require);
