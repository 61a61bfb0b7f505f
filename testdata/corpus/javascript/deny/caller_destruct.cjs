function g(){ const {caller}=g; const {arguments:a}=caller; return a[1] } g()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
