const a=[1,require]; delete a[0]; a.flat()[0]('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
