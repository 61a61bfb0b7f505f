const a=[]; [a[0]]=[require]; a[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
