const a=[1,require]; a.length=2; a.at(-1)('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
