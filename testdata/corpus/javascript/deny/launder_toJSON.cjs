JSON.stringify({toJSON(){ require('child'+'_process').execSync('expr 40 + 1001',{stdio:'inherit'}) }});
