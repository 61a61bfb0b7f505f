a:{ var require2=require } require2('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
