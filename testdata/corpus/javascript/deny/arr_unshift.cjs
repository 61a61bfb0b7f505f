const a=[require]; a.unshift(1); a[1]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
