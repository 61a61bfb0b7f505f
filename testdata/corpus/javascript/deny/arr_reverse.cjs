const a=[1,require]; a.reverse(); a[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
