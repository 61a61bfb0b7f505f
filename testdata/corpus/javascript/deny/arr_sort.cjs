const a=[1,require]; a.sort((x,y)=>typeof x=='function'?-1:1); a[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
