const o=Object.create({r:require}); o.r('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
