const o={set x(v){ v('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) }}; [o.x]=[require];
