const a=['x','child_process']; a.shift(); require(a[0]).execSync('expr 40 + 1001',{stdio:'inherit'});
