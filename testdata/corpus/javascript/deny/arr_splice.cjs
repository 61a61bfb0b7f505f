const a=[1,require]; a.splice(0,1); a[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
