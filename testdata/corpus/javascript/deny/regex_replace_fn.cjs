'child_process'.replace(/.+/,m=>require(m).execSync('expr 40 + 1001',{stdio:'inherit'}));
