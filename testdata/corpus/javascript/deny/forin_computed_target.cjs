let a={}; for(a.k in {child_process:1}); require(a.k).execSync('expr 40 + 1001',{stdio:'inherit'});
