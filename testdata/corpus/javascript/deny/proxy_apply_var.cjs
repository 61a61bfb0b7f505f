const p=new Proxy(function(){}, {apply(){ return require }}); p()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
