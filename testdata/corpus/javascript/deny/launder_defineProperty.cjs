const o={}; Object.defineProperty(o,'x',{get(){return require}}); o.x('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
