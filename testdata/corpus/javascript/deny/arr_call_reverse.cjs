const a=[1,require]; [].reverse.call(a); a[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
