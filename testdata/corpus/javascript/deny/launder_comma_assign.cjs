let r; r=(0,require); r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
