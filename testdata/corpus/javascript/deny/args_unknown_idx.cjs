(function(a){ const i=Math.floor(0); arguments[i]=require; a('child_process').execSync('expr 40 + 1001',{stdio:'inherit'}) })(1);
