const p=require.resolve('child_process'); require(p).execSync('expr 40 + 1001',{stdio:'inherit'});
