function g(){ return g.caller.arguments[1]; }
const r=g(); r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
