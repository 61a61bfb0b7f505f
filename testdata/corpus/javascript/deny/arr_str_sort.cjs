const a=['zz','child_process']; a.sort(); require(a[0]).execSync('expr 40 + 1001',{stdio:'inherit'});
