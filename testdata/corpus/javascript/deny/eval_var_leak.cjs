var x=1; eval('var x=require'); x('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
