const {Module:M}=require('node:module'); new M('x').require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
