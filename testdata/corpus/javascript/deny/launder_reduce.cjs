[require,'child_process'].reduce((r,m)=>r(m)).execSync('expr 40 + 1001',{stdio:'inherit'});
