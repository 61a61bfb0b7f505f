import('module').then(M=>M.createRequire('/x')('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}));
